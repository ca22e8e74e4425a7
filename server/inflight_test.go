package server

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequestsBeyondTheLimitAreAskedToComeAgain(t *testing.T) {
	s := newWorld(t, widgets())
	for range maxInFlight {
		require.NoError(t, s.inFlight.enter())
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequest("GET", "/apis/example.com/v1/widgets", nil))
	require.Equal(t, 429, answer.Code)
	require.Equal(t, "1", answer.Header().Get("Retry-After"))

	s.inFlight.leave()
	answer = httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequest("GET", "/apis/example.com/v1/widgets", nil))
	require.Equal(t, 200, answer.Code)
	require.EqualValues(t, maxInFlight-1, s.inFlight.n.Load())
}
