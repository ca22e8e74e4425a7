// Package plinth is the root of a set of packages that a control plane stands on:
// Kubernetes-style API machinery in an embeddable form. It holds nothing itself.
//
// [github.com/seed-6c0fa0ad/plinth/object] is the vocabulary and below it are
// [github.com/seed-6c0fa0ad/plinth/object/schema], what documents must look like, and
// [github.com/seed-6c0fa0ad/plinth/object/definition], what clients define of that;
// [github.com/seed-6c0fa0ad/plinth/storage] the durable store of objects,
// [github.com/seed-6c0fa0ad/plinth/watch] the way of its changes to many watchers,
// [github.com/seed-6c0fa0ad/plinth/apply] and [github.com/seed-6c0fa0ad/plinth/gc] are what
// a patch and a deletion mean, [github.com/seed-6c0fa0ad/plinth/admission] decides what may
// be done and changes it before it is, and [github.com/seed-6c0fa0ad/plinth/server] serves
// it all over HTTP. A program imports those that it needs; none but server knows the others.
package plinth
