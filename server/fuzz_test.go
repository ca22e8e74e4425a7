package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func FuzzRequestInfo(f *testing.F) {
	for _, path := range []string{
		"", "/", "//", "/api", "/api/v1", "/api/v1/", "/api/v1/pods", "/api/v1/namespaces", "/api/v1/namespaces/a", "/api/v1/namespaces/a/status",
		"/api/v1/namespaces/a/pods/b/log/c", "/api/v1/watch/pods", "/api/v1/watch", "/api/v1/watch/namespaces/a/pods/b", "/apis/g/v1/r", "/apis/g/v1/r/n/s",
		"/apis/g/v1/namespaces//r", "/apis//v1/r", "/api/v1//pods", "/apis/g/v1/r//s", "/healthz", "/api/v1/namespaces/a/finalize/b",
	} {
		f.Add(http.MethodGet, path, "watch=true")
		f.Add(http.MethodDelete, path, "")
	}
	f.Fuzz(func(t *testing.T, method, path, query string) {
		info := parseRequestInfo(&http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}})
		if info.path != path {
			t.Errorf("the path became %q", info.path)
		}
		if !info.resource {
			if info.name != "" || info.namespace != "" || info.subresource != "" || info.gvr != (object.GroupVersionResource{}) {
				t.Errorf("parts of a resource in a path that is none: %+v", info)
			}
			return
		}
		for _, part := range []string{info.gvr.Group, info.gvr.Version, info.gvr.Resource, info.namespace, info.name, info.subresource} {
			if strings.Contains(part, "/") || !strings.Contains(path, part) {
				t.Errorf("%q is no part of %q", part, path)
			}
		}
		if info.subresource != "" && info.name == "" && !info.beyond {
			t.Error("a subresource of nothing")
		}
		checkVerb(t, method, &info)
	})
}

// checkVerb holds the verb against the method and the name.
func checkVerb(t *testing.T, method string, info *requestInfo) {
	allowed := map[string][]string{
		http.MethodGet: {"get", "list", "watch"}, http.MethodHead: {"get", "list", "watch"}, http.MethodPost: {"create"},
		http.MethodPut: {"update"}, http.MethodPatch: {"patch"}, http.MethodDelete: {"delete", "deletecollection"},
	}[method]
	if allowed == nil {
		allowed = []string{""}
	}
	require.Contains(t, allowed, info.verb)
	if info.name == "" {
		require.NotContains(t, []string{"get", "delete"}, info.verb)
	} else {
		require.NotContains(t, []string{"list", "deletecollection"}, info.verb)
	}
}

func FuzzListOptions(f *testing.F) {
	for _, query := range []string{
		"", "limit=1", "limit=-1", "limit=x", "limit=9223372036854775808", "continue=a&limit=5", "resourceVersion=5&resourceVersionMatch=Exact",
		"watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1", "timeoutSeconds=9223372036854775807", "timeoutSeconds=-5",
		"labelSelector=a+in+(b,c),!d", "fieldSelector=metadata.name=a", "watch=False", "watch=0", "watch", "%zz",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		opts, err := parseListOptions(values)
		if err != nil {
			require.ErrorIs(t, err, object.ErrBadRequest)
			return
		}
		require.GreaterOrEqual(t, opts.Limit, int64(0))
		require.Positive(t, opts.timeout(time.Minute))
		if err := opts.validate(); err != nil {
			require.ErrorIs(t, err, object.ErrInvalid)
			return
		}
		if opts.ResourceVersionMatch != "" {
			require.True(t, opts.ResourceVersion != "" || opts.Watch)
			require.Empty(t, opts.Continue)
		}
		if opts.SendInitialEvents != nil {
			require.True(t, opts.Watch)
		}
	})
}

func FuzzServe(f *testing.F) {
	for _, body := range malformed {
		if len(body) < 1000 {
			f.Add(http.MethodPost, widgetsPath, typeJSON, "", body)
		}
	}
	f.Add(http.MethodGet, widgetsPath+"?limit=1&labelSelector=a", "", "application/json;as=Table;g=meta.k8s.io;v=v1", "")
	f.Add(http.MethodGet, widgetsPath+"?watch=1&timeoutSeconds=1", "", typeYAML, "")
	f.Add(http.MethodPatch, widgetsPath+"/w0", "application/merge-patch+json", "", `{"metadata":{"labels":{"a":"b"}}}`)
	f.Add(http.MethodPatch, widgetsPath+"/w0/status", "application/json-patch+json", "", `[{"op":"add","path":"/status","value":{}}]`)
	f.Add(http.MethodPut, "/apis/example.com/v1/namespaces/default/tickets/a", typeYAML, "", "metadata:\n  name: a\n")
	f.Add(http.MethodDelete, widgetsPath+"/w0?propagationPolicy=Orphan", typeJSON, "", `{"preconditions":{"uid":"a"}}`)
	f.Add(http.MethodGet, "/apis/example.com/v1beta1/crates/c", "", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "")
	f.Add(http.MethodGet, "/openapi/v3/apis/example.com/v1", "", "", "")
	s := newWorld(f, widgets(), crates(), tickets())
	f.Fuzz(func(t *testing.T, method, path, contentType, accept, body string) {
		if !strings.HasPrefix(path, "/") || strings.Contains(path, "watch") {
			return // a watch lasts; TestScenarios has them
		}
		if _, err := s.Create(t.Context(), target(""), widget("w0"), WriteOptions{}); err != nil {
			require.ErrorIs(t, err, object.ErrAlreadyExists)
		}
		checkServe(t, s, method, path, contentType, accept, body)
	})
}
