// Package guard holds small stages of admission that a control plane wants, each a value
// that one may add to a chain:
//
//   - [Namespaces] refuses to create anything in a namespace that is missing or being
//     deleted, and to delete those that must stay. A server has this built in; the stage is
//     for programs that run a chain without one.
//   - [Owners] lets nobody say that an object holds up the deletion of another who could not
//     hold it up by a finalizer.
//   - [EventRate] slows down those who write too many events.
//
// They answer in the words of the plugins of kube-apiserver: NamespaceLifecycle,
// OwnerReferencesPermissionEnforcement and EventRateLimit.
package guard
