package storage

import (
	"context"
	"errors"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// ErrCompacted says that the history asked for is gone.
var ErrCompacted = errors.New("storage: the history of this version is compacted")

// ErrReadOnly says that a backend takes no writes until it is opened again, because
// a commit has failed. It still serves what was durable before.
var ErrReadOnly = errors.New("storage: no more writes")

// ErrClosed says that the backend has been closed.
var ErrClosed = errors.New("storage: closed")

// Backend keeps every version of every key until it is compacted, in one order of
// commits. It knows keys as texts and values as bytes; what they mean is the
// business of [Store]. storagetest checks an implementation.
//
// Versions: an empty backend is at version 1, and every committed write gets the
// next one, without gaps. Reads take a version at: the state right after that
// commit, 0 meaning the newest durable one. A version below the last compaction
// gives [ErrCompacted]; one that is not reached yet is a programming error of the
// caller and gives some error.
//
// Keys: not empty, and without a zero byte.
//
// Lifetime: the bytes handed to the functions of Scan, and the key handed to match,
// are valid during the call only; all else may be kept. None of it may be changed.
// Slices passed in belong to the backend from then on and are never changed by it.
//
// All methods may be called concurrently, but not from inside the function that
// OnCommit was given.
type Backend interface {
	// Version is the newest durable version; Compacted the highest one that
	// Compact was given (reads below it fail).
	Version() object.ResourceVersion
	Compacted() object.ResourceVersion

	// Get reads one key; nil if it is not there (at that version).
	Get(key string, at object.ResourceVersion) (*object.Encoded, error)

	// Scan visits the keys with the prefix, from the given key on, in the order of
	// their bytes, as long as visit returns true. match, if not nil, sees the head
	// first, with a nil Body; the bodies of those it refuses are not read.
	Scan(prefix, from string, at object.ResourceVersion, match func(key string, e *object.Encoded) bool, visit func(key string, e *object.Encoded) bool) error

	// Write commits one write and returns its version once it is durable. If the
	// key's current version is not that of Prev (0, i.e. absent, for nil), it fails
	// with a *ConflictError. Concurrent writes share commits. If ctx ends first,
	// its error is returned, and the write may or may not be committed later.
	Write(ctx context.Context, w Write) (object.ResourceVersion, error)

	// OnCommit sets the function that sees every commit, in order, when it is
	// durable and readable but before its writers are told. The function must not
	// block. Set it before the first write.
	OnCommit(func([]Change))

	// Changes visits the committed writes of the keys with the prefix after a
	// version, in order, up to the newest durable one, as long as visit returns true.
	Changes(prefix string, after object.ResourceVersion, visit func(Change) bool) error

	// Expired lists keys whose time has come, at most limit, and says when the next one comes
	// (zero: none). It deletes nothing.
	Expired(now time.Time, limit int) (due []Due, next time.Time, err error)

	// Compact forgets what is needed only for reads below upTo, in steps that let
	// writers pass.
	Compact(ctx context.Context, upTo object.ResourceVersion) error

	// Close waits for what is under way. It is idempotent; whatever is called
	// after it fails with [ErrClosed].
	Close() error
}

// Write is one conditional write. Next nil deletes.
type Write struct {
	Key     string
	Prev    *object.Encoded // as read; nil if the key must be absent
	Next    *object.Encoded // Version is ignored
	Expires time.Time       // zero: never
}

// Change is one committed write.
type Change struct {
	Version object.ResourceVersion
	Key     string
	Prev    *object.Encoded // nil if the key was absent
	Next    *object.Encoded // nil if it was deleted; else with its version
}

// Due is a key that has expired in the given version.
type Due struct {
	Key     string
	Version object.ResourceVersion
}

// ConflictError says that a key is not at the version that a write expected.
// Current is 0 if it is absent.
type ConflictError struct {
	Key     string
	Current object.ResourceVersion
}

// Error names the key and its version.
func (e *ConflictError) Error() string {
	if e.Current == 0 {
		return "storage: " + e.Key + " is absent"
	}
	return "storage: " + e.Key + " is at version " + e.Current.String()
}
