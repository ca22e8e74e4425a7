package admission_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestWarnings(t *testing.T) {
	long := strings.Repeat("ä", 255)
	for _, c := range []struct {
		name      string
		in, wants []string
	}{
		{"none", nil, nil},
		{"each once and none empty", []string{"a", "", "b", "a"}, []string{"a", "b"}},
		{"characters count, not bytes", []string{strings.Repeat("ä", 4096)}, []string{strings.Repeat("ä", 4096)}},
		{"cut once there are too many", []string{strings.Repeat("ä", 4096), "b"}, []string{strings.Repeat("ä", 256), "b"}},
		{"left out once there is no room", append(numbered(long, 16), "z"), numbered(long, 16)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var req admission.Request
			for _, w := range c.in {
				req.Warn(w)
			}
			require.Equal(t, c.wants, req.Warnings())
		})
	}
}

// numbered gives n different texts that begin with a letter of their own.
func numbered(text string, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = string(rune('A'+i)) + text
	}
	return texts
}

func TestFirstAnnotationOfAKeyStays(t *testing.T) {
	var req admission.Request
	require.Empty(t, req.Annotations())
	req.Annotate("a", "1")
	req.Annotate("a", "2")
	req.Annotate("b", "3")
	require.Equal(t, map[string]string{"a": "1", "b": "3"}, req.Annotations())
}

func TestRequestedIsTheResourceItselfUnlessTranslated(t *testing.T) {
	req := podRequest("web")
	req.Subresource = "status"
	kind, resource, subresource := req.Requested()
	require.Equal(t, req.Kind, kind)
	require.Equal(t, req.Resource, resource)
	require.Equal(t, "status", subresource)
	req.RequestResource = object.GroupVersionResource{Version: "v0", Resource: "pods"}
	_, resource, subresource = req.Requested()
	require.Equal(t, "v0", resource.Version)
	require.Empty(t, subresource)
}
