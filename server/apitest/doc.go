// Package apitest gives a test a whole API server in memory, in one line:
//
//	srv := apitest.New(t, apitest.CRDs("config/crd"), apitest.Manifests("testdata/world.yaml"))
//
// The server is the real one, with admission, field ownership, watches, the collection of
// garbage and namespaces that empty themselves. It starts in about a millisecond, needs no
// socket, and ends with the test, which fails if it leaves a watch or a goroutine behind.
//
// Its nouns are the [Server]; the [Snapshot] of one, which is plain data and of which each
// case of a table test gets a fork of its own; the [Fault], a failure that is asked for; and the
// [Change], what one write did to an object, by whom and when.
//
// All of it works inside a testing/synctest bubble, where the clock starts at midnight UTC on
// 2000-01-01 and stands still while anything is under way. A bubble may fork a snapshot that was
// made outside; the objects in it are then of the future.
package apitest
