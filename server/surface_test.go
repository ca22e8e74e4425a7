package server

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServersCannotBeReconfigured: no field of a server is for others to write.
func TestServersCannotBeReconfigured(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		require.False(t, f.IsExported(), f.Name)
	}
}
