package storage

import (
	"context"
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const listExpired = "The resourceVersion for the provided list is too old."

// Get reads one object. It fails with NotFound.
func (s *Store) Get(ctx context.Context, key object.Key) (*object.Encoded, error) {
	return s.GetAt(ctx, key, 0)
}

// GetAt reads one object as it was right after the given version; 0 means now. It
// fails with NotFound, with Expired if that history is gone, and with Timeout (too
// large resource version) if the store has not got there yet.
func (s *Store) GetAt(ctx context.Context, key object.Key, at object.ResourceVersion) (*object.Encoded, error) {
	if err := ctx.Err(); err != nil {
		return nil, failed("getting", key, err)
	}
	if at > 0 {
		if current := s.Version(); at > current {
			return nil, object.TooLargeResourceVersion(at, current)
		}
	}
	e, err := s.backend.Get(keyText(key), at)
	switch {
	case errors.Is(err, ErrCompacted):
		return nil, object.Expired(listExpired)
	case err != nil:
		return nil, failed("getting", key, err)
	case e == nil:
		return nil, object.NotFound(key.GroupResource, key.Name)
	}
	return e, nil
}
