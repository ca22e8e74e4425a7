package admission_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestWarningsAreGivenOnceInOrder(t *testing.T) {
	var req admission.Request
	require.Empty(t, req.Warnings())
	for _, text := range []string{"b", "", "a", "b"} {
		req.Warn(text)
	}
	require.Equal(t, []string{"b", "a"}, req.Warnings())
	for i := range 5000 {
		req.Warn(strconv.Itoa(i))
	}
	require.Len(t, req.Warnings(), 4096)
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

func TestWhatBecameOfARequestIsToldOnce(t *testing.T) {
	var req admission.Request
	var told []bool
	req.Finally(func(happened bool) { told = append(told, happened) })
	req.Finally(func(happened bool) { told = append(told, happened) })
	req.Finish(false)
	req.Finish(true)
	require.Equal(t, []bool{false, false}, told)
}
