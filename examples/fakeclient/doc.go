// Package fakeclient holds the fake client of controller-runtime against the API: its tests
// try the same on both and say what each answers. docs/fakeclients.md is the table of that, and
// its benchmarks measure both at the same operations.
//
// With -cluster the tests also ask the API server of a real cluster, to see that the
// answers of the API are what this package says they are:
//
//	go test ./examples/fakeclient -cluster KUBECONFIG
package fakeclient
