// Package match says which requests a policy or a webhook is about: by what is done to which
// resource, by labels of the object and of its namespace, and by the other forms in which a
// resource is served.
//
// A [Resources] is the API's description (admissionregistration.k8s.io/v1). It is compiled to a
// [Matcher], which looks at a [Subject]; an [Index] tells which of many matchers are worth a look.
package match
