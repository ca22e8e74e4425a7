// Package policies holds the compiler of policies to policies that people really use. It has
// tests only.
//
// They read policies and bindings from the cache of Go modules, in the versions that
// ../definitions/modules.txt pins, and skip what is not there. Policies of Kyverno's own kinds, which are
// the API's with more in them, are taken for the API's. What kube-apiserver v1.37.2 said to
// the same documents, as dry runs, stands in testdata, one line for each: its place, and the message if it
// was refused.
//
// To record anew, give TestPolicies a server: -record URL -token TOKEN.
package policies
