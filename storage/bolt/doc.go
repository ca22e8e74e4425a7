// Package bolt keeps the objects of a store in one file, durably, over bbolt.
//
// Its noun is [Backend]. One goroutine writes: it takes all writes that are
// waiting into one transaction and tells their callers when it is on the disk, so
// the more write at once, the less each one costs. Readers never wait for it, nor
// it for them.
//
// The file has four buckets. "log" has every write under its version, with the
// body of the object: it grows at its end, and is the feed of changes. "index" has
// the key and the version, the newest first, with the head of the object: lists and
// selections walk through it, and find the bodies in the log. "expiry" has the
// keys that expire, by time, and "meta" the format of the file and how far it is
// compacted.
//
// After a commit that failed (a full disk, a failing device) nobody can know what
// is on the disk. The backend then refuses to write, and goes on to serve what was
// durable before, until it is closed and opened again.
//
// [Backend.Close] waits for the writes under way and for the readers.
package bolt
