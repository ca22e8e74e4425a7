package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestNumbersOfConfigurationsAreThoseOfYAML(t *testing.T) {
	config, repeated, err := decodeConfiguration([]byte(`{"whole":3.0,"list":[1e3,1.5],"in":{"large":1e21,"int":7}}`))
	require.NoError(t, err)
	require.Empty(t, repeated)
	require.Equal(t, object.Object{"whole": int64(3), "list": []any{int64(1000), 1.5}, "in": map[string]any{"large": 1e21, "int": int64(7)}}, config)
}
