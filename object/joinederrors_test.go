package object_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestJoinedErrorsSayEachTextOnceAndUnwrap(t *testing.T) {
	first, second, again := errors.New("first"), errors.New("second"), errors.New("first")
	require.NoError(t, object.JoinErrors(nil))
	require.Equal(t, first, object.JoinErrors([]error{first, again}))
	err := object.JoinErrors([]error{first, second, again})
	require.EqualError(t, err, "[first, second]")
	require.ErrorIs(t, err, second)
	require.ErrorIs(t, err, again)
}
