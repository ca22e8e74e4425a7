// Package quantity reads, compares, adds and writes the amounts of resources of the
// Kubernetes API, such as 500m, 1.5 and 2Gi.
//
// A [Quantity] is a value of any size and of nine decimals at least; nothing is rounded but
// by [Parse] and [Quantity.RoundedUp]. It remembers in which of three forms it was written,
// with suffixes for powers of ten (1k), for powers of two (1Ki) or with an exponent (1e3), and is
// written in that form again.
package quantity
