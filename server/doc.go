// Package server serves a store of objects over the HTTP API of Kubernetes.
//
// Its nouns are the [Resource], which says as plain data what a collection is called,
// in which versions it is served and what its objects must look like; the [Server],
// which serves resources over HTTP and, with the same rules, as methods; and, turned
// on by [CustomResources], the definitions by which clients bring resources of their own.
//
// A Server starts a goroutine only for definitions. [Server.Shutdown] ends it and all
// watches; the store stays the caller's.
package server
