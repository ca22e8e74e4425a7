package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetricsCountRequestsByVerb(t *testing.T) {
	var m metrics
	m.count("get")
	m.count("get")
	m.count("deletecollection")
	m.count("options") // none of the API's verbs
	require.EqualValues(t, 2, m.requests[0].Load())
	require.EqualValues(t, 1, m.requests[len(verbs)-1].Load())
}
