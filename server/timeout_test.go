package server

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestRequestTimeout(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		want        time.Duration
		fails       bool
	}{
		{name: "none given", query: "", want: time.Minute},
		{name: "empty", query: "timeout=", want: time.Minute},
		{name: "shorter", query: "timeout=5s", want: 5 * time.Second},
		{name: "longer than may be", query: "timeout=2h", want: time.Minute},
		{name: "not positive", query: "timeout=-3s", want: time.Minute},
		{name: "another parameter", query: "nottimeout=soon", want: time.Minute},
		{name: "no duration", query: "timeout=soon", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := requestTimeout(httptest.NewRequest("GET", "/api?"+tt.query, nil))
			require.Equal(t, tt.fails, err != nil)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestTheEndOfARequestsTimeIsATimeout(t *testing.T) {
	err := timedOut(errors.Join(errors.New("reading configmaps"), context.DeadlineExceeded))
	require.ErrorIs(t, err, object.ErrTimeout)
	require.Equal(t, 504, object.AsStatus(err).Code)

	conflict := object.Conflict(object.GroupResource{Resource: "configmaps"}, "a", context.DeadlineExceeded)
	require.Same(t, conflict, timedOut(conflict), "what has a Status of its own keeps it")
}
