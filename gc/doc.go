// Package gc decides what a deletion means, deletes what nobody owns any more, and
// empties namespaces.
//
// Its nouns are [DeleteOptions], what the client asked for, and [Outcome], what
// is to be done: remove the object now, or store it with a mark and wait until its
// finalizers are gone. A DELETE goes through [BeginDelete]. An update that leaves an object
// [Removable] removes it. These are pure functions of documents and the time; no
// document that is passed in is changed.
//
// [Collector] does what the owner references of objects and the policies of deletions
// ask for afterwards. It works on a [Cluster], in the same process or in another one, while
// [Collector.Run] runs, and starts nothing that outlives it. [Emptier] does likewise with
// the contents of namespaces that are being deleted, over [Namespaces].
package gc
