// Package storage keeps the objects of an API: durable or in memory, with one
// order of writes, optimistic concurrency, reads of the past and a feed of changes.
//
// Its three nouns are [Store], which works in encoded objects; [Backend], which
// keeps texts and bytes for it (packages bolt and memory have one each); and
// [Typed], a view of one collection for a Go type of the user's own.
//
// A resource version counts the writes of a whole store. A read names the version
// it wants to see, and sees exactly the state after that write, as long as
// history is kept; a list that is read in pages is one consistent state.
//
// Encoded objects are shared and read-only. Those that methods return may be
// kept; those handed to the function of [List.Visit] are valid during the call only.
//
// [Store.Close] stops what the store runs in the background (compaction, removal
// of what has expired), waits for it, and closes the backend.
package storage
