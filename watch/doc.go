// Package watch carries one feed of committed changes to any number of watchers.
//
// Its three nouns are [Broadcaster], which keeps a window of the newest events,
// [Watcher], a cursor into that window, and [Event], a change together with the
// encodings of it that its watchers share.
//
// A watcher is a position and a wake-up without data. Nothing is queued for it, so
// whoever publishes never waits for a watcher, and a watcher that stalls costs no
// one anything: when it comes back and the window has moved on, it reads the
// durable history until it has caught up with the window again, and where that is
// gone too it fails with Expired (410). It is never silently skipped ahead.
//
// What holds for every watcher:
//
//  1. It sees the events of its collection and selector after the version that it
//     started from, in the order of their versions, each once.
//  2. An object that enters the selection comes as Added and one that leaves it
//     as Deleted, with its last selected content and the version of the change.
//  3. After a bookmark at version v no event at or below v follows, and bookmarks
//     never go backwards.
//
// Events and what they point to are shared between all watchers and read-only;
// they may be kept. The package starts no goroutine. [Broadcaster.Close] ends all
// watchers and [Watcher.Stop] one; neither has anything to wait for.
package watch
