package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestNamesWithZeroBytesAreRefused(t *testing.T) {
	s := newStore(t, nil)
	for _, key := range []object.Key{keyOf("n", "a\x00"), keyOf("n\x00", "a")} {
		_, err := s.Put(t.Context(), key, nil, encoded(t, key.Namespace, key.Name, nil), 0)
		require.Equal(t, 400, object.AsStatus(err).Code, "%v", err)
	}
}
