// Package definitions holds the server to definitions of custom resources that
// people really use. It has tests only.
//
// They read definitions, and the samples published beside them, from the cache of
// Go modules. Nothing requires these modules: modules.txt pins their versions,
// "xargs -n 1 go mod download <modules.txt" brings them, and tests skip what is not
// there. Each definition is installed, and each sample sent with strict field
// validation. What kube-apiserver v1.37.2 said to the same bytes stands in testdata,
// one line for each:
//
//   - of a definition: whether it was established, and digests of the schemas that
//     OpenAPI v3 and v2 then publish for each served version;
//   - of a sample that was accepted: a digest of the object as it came back, with
//     its defaults and without what was pruned;
//   - of a sample that was refused: the code and the message, word for word.
//
// To record anew, give TestDefinitions a server: -record URL -token TOKEN.
package definitions
