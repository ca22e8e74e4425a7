package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// TestListsForClientsThatAreGoneEnd: the work for an answer that nobody waits for
// stops, and is no failure of the server.
func TestListsForClientsThatAreGoneEnd(t *testing.T) {
	var log bytes.Buffer
	ctx, leave := context.WithCancel(t.Context())
	shown := 0
	kind := widgets()
	kind.Versions[0].Columns[0].Value = func(object.Object) any {
		if shown++; shown == 3 {
			leave()
		}
		return nil
	}
	s := newWorld(t, kind)
	s.config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	for i := range 100 {
		_, err := s.Create(t.Context(), target(""), widget(fmt.Sprint("w", i)), WriteOptions{})
		require.NoError(t, err)
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, widgetsPath, nil)
	r.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	s.ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, 3, shown)
	require.Empty(t, log.String())
}
