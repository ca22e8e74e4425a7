package storage

import (
	"context"
	"errors"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// ErrCompacted says that the history asked for is gone.
var ErrCompacted = errors.New("storage: the history of this version is compacted")

// Backend keeps every version of every key until it is compacted, in one order of
// commits. It knows keys as texts and values as bytes; what they mean is the
// business of [Store]. storagetest checks an implementation.
//
// Versions: every committed write gets the next one. Reads take a version at: the
// state right after that commit, 0 meaning the newest durable one. A version
// below the last compaction gives [ErrCompacted]; one that is not reached yet is
// a programming error of the caller and gives some error.
//
// Lifetime: slices handed to a visit function are valid during the call only and
// must not be changed; those returned may be kept. Slices passed in belong to the
// backend from then on and are never changed by it.
type Backend interface {
	// Version is the newest durable version; Compacted the highest one that
	// Compact was given (reads below it fail).
	Version() object.ResourceVersion
	Compacted() object.ResourceVersion

	// Get reads one key; nil if it is not there (at that version).
	Get(key string, at object.ResourceVersion) (*object.Encoded, error)

	// Scan visits the keys with the prefix that come after the given one, in
	// order, as long as visit returns true. match, if not nil, sees the head first;
	// the bodies of those it refuses are not read.
	Scan(prefix, after string, at object.ResourceVersion, match func(key string, e *object.Encoded) bool, visit func(key string, e *object.Encoded) bool) error

	// Write commits one write and returns its version once it is durable. If the
	// key's current version is not that of Prev (0, i.e. absent, for nil), it fails
	// with a *ConflictError. Concurrent writes share commits.
	Write(ctx context.Context, w Write) (object.ResourceVersion, error)

	// OnCommit sets the function that sees every commit, before its writers are
	// told, in order. Set it before the first write.
	OnCommit(func([]Change))

	// Changes visits the committed writes after a version, in order, up to the
	// newest durable one, as long as visit returns true.
	Changes(after object.ResourceVersion, visit func(Change) bool) error

	// Expired lists keys whose time has come, at most limit, and says when the next one comes
	// (zero: none). It deletes nothing.
	Expired(now time.Time, limit int) (due []Due, next time.Time, err error)

	// Compact forgets what is needed only for reads below upTo, in steps that let
	// writers pass.
	Compact(ctx context.Context, upTo object.ResourceVersion) error

	// Close waits for what is under way. It is idempotent.
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

func (e *ConflictError) Error() string {
	return "storage: " + e.Key + " is at version " + e.Current.String()
}
