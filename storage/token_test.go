package storage_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// FuzzContinue lists with any token. It is refused, or shows nothing but the collection.
func FuzzContinue(f *testing.F) {
	s := newStore(f, nil)
	for _, name := range []string{"a", "b", "c"} {
		create(f, s, "n", name, nil)
		create(f, s, "other", name, nil)
	}
	valid := list(f, s, keyOf("n", ""), storage.ListOptions{Limit: 1}).next
	raw := base64.RawURLEncoding.EncodeToString
	for _, seed := range []string{
		"", "nonsense", "***", valid, valid + "=", raw([]byte("{}")), raw([]byte("[]")),
		raw([]byte(`{"v":"meta.k8s.io/v1","rv":-1,"start":"../other"}`)),
		raw([]byte(`{"v":"meta.k8s.io/v1","rv":3,"start":"/b"}`)),
		raw([]byte(`{"v":"meta.k8s.io/v1","rv":3,"start":"\u0000"}`)),
	} {
		f.Add(seed, int64(2))
	}
	f.Fuzz(func(t *testing.T, token string, limit int64) {
		l, err := s.List(t.Context(), keyOf("n", ""), storage.ListOptions{Continue: token, Limit: limit})
		if err != nil {
			require.Contains(t, []int{400, 410, 504}, object.AsStatus(err).Code)
			return
		}
		last := ""
		require.NoError(t, l.Visit(func(key object.Key, e *object.Encoded) bool {
			require.Equal(t, "n", key.Namespace)
			require.Less(t, last, key.Name)
			last = strings.Clone(key.Name)
			return true
		}))
		require.True(t, l.Done())
	})
}
