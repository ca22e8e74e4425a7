// Package rules holds the validation rules of schemas, x-kubernetes-validations:
// what the API says about them when a definition is made, and what they say about
// objects.
//
// [Check] compiles the rules of a schema and tells what is wrong with them or may
// cost too much. [For] gives the [Rules] of a schema, which [Rules.Validate] objects.
// Rules compile on first use, each node of the schema for itself, and from then on
// take about three kilobytes each; what a compilation needs beside is dropped. All share
// one [expr.Language].
//
// Inside of a rule an object is seen through its schema: fields that the schema
// doesn't know are not there, and names are escaped (see [Escape]). Nothing is
// copied: values are looked up in the document as the rule asks for them.
package rules
