package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// errModified is the API's explanation of a conflict.
var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// Put writes an object and returns it with its version once that is durable. prev
// is the object as it was read, nil to create it. If the key is taken, a create
// fails with AlreadyExists; if the object is not at the version of prev any more,
// or gone, the write fails with Conflict. With a ttl above zero the object is removed once
// that much time has passed without another write; each write sets it anew.
//
// If ctx ends first, Put returns its error, and the write may still be committed.
func (s *Store) Put(ctx context.Context, key object.Key, prev *object.Encoded, next object.Encoded, ttl time.Duration) (*object.Encoded, error) {
	w := Write{Key: keyText(key), Prev: prev, Next: &next}
	if ttl > 0 {
		w.Expires = time.Now().Add(ttl)
	}
	version, err := s.write(ctx, key, w)
	if err != nil {
		return nil, err
	}
	if ttl > 0 {
		s.upkeep.expiresAt(w.Expires)
	}
	return &object.Encoded{Version: version, Head: next.Head, Body: next.Body}, nil
}

// Remove deletes an object, which must be as prev was read, and returns its
// last state with the version of the deletion. It fails with Conflict.
func (s *Store) Remove(ctx context.Context, key object.Key, prev *object.Encoded) (*object.Encoded, error) {
	if prev == nil {
		return nil, fmt.Errorf("removing %s: the state to remove is missing", key)
	}
	version, err := s.write(ctx, key, Write{Key: keyText(key), Prev: prev})
	if err != nil {
		return nil, err
	}
	return removed(prev, version), nil
}

func (s *Store) write(ctx context.Context, key object.Key, w Write) (object.ResourceVersion, error) {
	if key.Resource == "" || key.Name == "" {
		return 0, fmt.Errorf("writing %s: the key is not complete", key)
	}
	if strings.IndexByte(w.Key, 0) >= 0 {
		return 0, object.BadRequest("the name %q has a zero byte in it", key.Namespace+"/"+key.Name)
	}
	version, err := s.backend.Write(ctx, w)
	var conflict *ConflictError
	switch {
	case err == nil:
		return version, nil
	case errors.Is(err, ErrReadOnly):
		s.failure.Store(&err)
		return 0, failed("writing", key, err)
	case !errors.As(err, &conflict):
		return 0, failed("writing", key, err)
	case w.Prev == nil:
		return 0, object.AlreadyExists(key.GroupResource, key.Name)
	}
	return 0, object.Conflict(key.GroupResource, key.Name, errModified)
}
