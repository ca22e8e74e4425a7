// Package storagetest is the contract of [storage.Backend] as a test suite, for
// those who write one.
package storagetest
