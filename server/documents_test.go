package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// typed is a codec that is never called.
type typed struct{ Codec }

func describedServer(t testing.TB) *Server {
	set, err := newResourceSet(
		Resource{Group: "example.com", Plural: "things", Kind: "Thing", ShortNames: []string{"th"}, Categories: []string{"all"},
			Versions: []Version{{Name: "v1"}, {Name: "v1beta1"}}, Subresources: []Subresource{{Name: "status", Verbs: []string{"update", "get", "patch"}}}},
		Resource{Plural: "namespaces", Kind: "Namespace", ShortNames: []string{"ns"}, Versions: []Version{{Name: "v1", Codec: typed{}}},
			Verbs:        []string{"create", "delete", "get", "list", "patch", "update", "watch"},
			Subresources: []Subresource{{Name: "status", Verbs: []string{"get", "patch", "update"}}, {Name: "finalize", Verbs: []string{"update"}}}},
		Resource{Plural: "configmaps", Kind: "ConfigMap", Namespaced: true, Versions: []Version{{Name: "v1", Codec: typed{}}}},
	)
	require.NoError(t, err)
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s := &Server{}
	s.config.Store = store
	s.config.Version = VersionInfo{Major: "1", Minor: "37", GitVersion: "v1.37.0"}
	s.stopping = t.Context()
	s.resources.Store(set)
	return s
}

func get(t testing.TB, s *Server, path string, headers ...string) *httptest.ResponseRecorder {
	return do(t, s, http.MethodGet, path, headers...)
}

func do(t testing.TB, s *Server, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = "10.0.0.1:6443"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if !s.serveDocument(w, r) {
		w.Code = 0
	}
	return w
}

func TestPlainDiscovery(t *testing.T) {
	s := describedServer(t)
	for path, want := range map[string]string{
		"/api":               `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}`,
		"/apis":              `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"},{"groupVersion":"example.com/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}]}`,
		"/apis/example.com/": `{"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"},{"groupVersion":"example.com/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}`,
		"/apis/example.com/v1beta1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1beta1","resources":[
			{"name":"things","singularName":"thing","namespaced":false,"kind":"Thing","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["th"],"categories":["all"],"storageVersionHash":"MkkTy7bNlnM="},
			{"name":"things/status","singularName":"","namespaced":false,"kind":"Thing","verbs":["get","patch","update"]}]}`,
		"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[
			{"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"storageVersionHash":"qFsyl6wFWjQ="},
			{"name":"namespaces","singularName":"namespace","namespaced":false,"kind":"Namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],"storageVersionHash":"Q3oi5N2YM8M="},
			{"name":"namespaces/finalize","singularName":"","namespaced":false,"kind":"Namespace","verbs":["update"]},
			{"name":"namespaces/status","singularName":"","namespaced":false,"kind":"Namespace","verbs":["get","patch","update"]}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			w := get(t, s, path)
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, "application/json", w.Header().Get("Content-Type"))
			require.Empty(t, w.Header().Get("ETag"))
			require.JSONEq(t, want, w.Body.String())
		})
	}
	require.Contains(t, get(t, s, "/apis/example.com", "Accept", "application/yaml").Body.String(), "kind: APIGroup\n")
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func TestAggregatedDiscovery(t *testing.T) {
	s := describedServer(t)
	w := get(t, s, "/apis", "Accept", aggregated)
	require.Equal(t, aggregated, w.Header().Get("Content-Type"))
	require.Equal(t, "Accept", w.Header().Get("Vary"))
	require.Equal(t, "public", w.Header().Get("Cache-Control"))
	thing := `{"resource":"things","responseKind":{"group":"example.com","version":"VERSION","kind":"Thing"},"scope":"Cluster","singularResource":"thing",
		"verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["th"],"categories":["all"],
		"subresources":[{"subresource":"status","responseKind":{"group":"example.com","version":"VERSION","kind":"Thing"},"verbs":["get","patch","update"]}]}`
	require.JSONEq(t, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"example.com"},"versions":[
		{"version":"v1","freshness":"Current","resources":[`+strings.ReplaceAll(thing, "VERSION", "v1")+`]},
		{"version":"v1beta1","freshness":"Current","resources":[`+strings.ReplaceAll(thing, "VERSION", "v1beta1")+`]}]}]}`, w.Body.String())

	etag := w.Header().Get("ETag")
	require.Regexp(t, `^"[0-9A-F]{128}"$`, etag)
	again := get(t, s, "/apis", "Accept", aggregated, "If-None-Match", etag)
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Equal(t, etag, again.Header().Get("ETag"))
	require.Equal(t, http.StatusOK, get(t, s, "/apis", "Accept", aggregated, "If-None-Match", `"0000", `+etag).Code)

	core := get(t, s, "/api", "Accept", aggregated).Body.String()
	require.Contains(t, core, `"items":[{"metadata":{},"versions":[{"version":"v1"`)
	require.Contains(t, core, `"responseKind":{"group":"","version":"","kind":"ConfigMap"},"scope":"Namespaced"`)
}

func TestAggregatedDiscoveryIsNegotiated(t *testing.T) {
	s := describedServer(t)
	for _, test := range []struct {
		name, path, accept string
		code               int
		want               string
	}{
		{"as client-go asks", "/apis", aggregated + ",application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", 200, "APIGroupDiscoveryList"},
		{"in YAML", "/apis", "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", 200, "kind: APIGroupDiscoveryList"},
		{"plain JSON", "/apis", "application/json", 200, `"kind":"APIGroupList"`},
		{"anything", "/api", "*/*", 200, `"kind":"APIVersions"`},
		{"older version", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", 406, only},
		{"unknown version, then plain", "/apis", "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json", 200, `"kind":"APIGroupList"`},
		{"another document", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupList", 406, only},
		{"of one group", "/apis/example.com", aggregated, 406, only},
		{"of one version", "/apis/example.com/v1", aggregated, 406, only},
		{"with a trailing slash", "/apis/", aggregated, 406, only},
		{"no such type for a group", "/apis/example.com", "text/html", 406, only},
		{"no such type for a version", "/api/v1", "text/html", 406, literally},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := get(t, s, test.path, "Accept", test.accept)
			require.Equal(t, test.code, w.Code)
			if test.code != 200 {
				test.want = strings.ReplaceAll(test.want, "\n", `\n`)
				require.Contains(t, strings.ReplaceAll(w.Body.String(), "\n", `\n`), test.want)
				return
			}
			require.Contains(t, w.Body.String(), test.want)
		})
	}
}

func TestPathsThatAreNotThere(t *testing.T) {
	s := describedServer(t)
	for path, code := range map[string]int{
		"/apis/none.example.com": 0, "/apis/none.example.com/v1": 0, "/nothing": 0, "/healthz/none": 0, "/versions": 0, "/openapi/v4": 0,
		"/apis/example.com/v9": 0, "/apis//": 0, "/openapi/v2/": 0, "/openapi/v3/": 404, "/api/v9": 404, "/openapi/v3/api/v9": 404, "/version/x": 404,
	} {
		require.Equal(t, code, get(t, s, path).Code, path)
	}
	require.Equal(t, 405, do(t, s, http.MethodPost, "/api/v1").Code)
	require.Equal(t, 405, do(t, s, http.MethodPost, "/version").Code)
	require.Equal(t, 200, do(t, s, http.MethodPost, "/apis/example.com").Code)
	require.Equal(t, 200, do(t, s, http.MethodDelete, "/apis/example.com/v1").Code, "versions of custom resources know all methods")
}

func TestDiscoveryFollowsTheResources(t *testing.T) {
	s := describedServer(t)
	before := get(t, s, "/apis", "Accept", aggregated).Header().Get("ETag")
	index := get(t, s, "/openapi/v3").Header().Get("ETag")
	set, err := s.resources.Load().with(Resource{Group: "more.example.com", Plural: "others", Kind: "Other", Versions: []Version{{Name: "v1"}}})
	require.NoError(t, err)
	s.resources.Store(set)
	require.NotEqual(t, before, get(t, s, "/apis", "Accept", aggregated).Header().Get("ETag"))
	require.NotEqual(t, index, get(t, s, "/openapi/v3").Header().Get("ETag"))
	require.Equal(t, 200, get(t, s, "/apis/more.example.com/v1").Code)

	s.resources.Store(set.without(object.GroupResource{Group: "more.example.com", Resource: "others"}))
	require.Equal(t, before, get(t, s, "/apis", "Accept", aggregated).Header().Get("ETag"))
	require.Equal(t, 0, get(t, s, "/apis/more.example.com").Code)
}

func TestRootListsThePaths(t *testing.T) {
	var root struct{ Paths []string }
	require.NoError(t, json.Unmarshal(get(t, describedServer(t), "/").Body.Bytes(), &root))
	require.Equal(t, []string{
		"/api", "/api/v1", "/apis", "/apis/example.com", "/apis/example.com/v1", "/apis/example.com/v1beta1", "/healthz", "/healthz/ping", "/healthz/storage",
		"/livez", "/livez/ping", "/livez/storage", "/metrics", "/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1", "/openapi/v3/apis/example.com/v1",
		"/openapi/v3/apis/example.com/v1beta1", "/readyz", "/readyz/ping", "/readyz/shutdown", "/readyz/storage", "/version",
	}, root.Paths)
}

func TestVersionAndHealth(t *testing.T) {
	s := describedServer(t)
	require.Contains(t, get(t, s, "/version/").Body.String(), `"gitVersion": "v1.37.0"`)
	require.Equal(t, 200, get(t, s, "/version", "Accept", "text/html, */*;q=0.1").Code)
	require.Equal(t, 200, get(t, s, "/version//").Code)
	require.Equal(t, 200, get(t, s, "/apis/example.com//").Code)
	refused := get(t, s, "/version", "Accept", "application/yaml")
	require.Equal(t, 406, refused.Code)
	require.Contains(t, refused.Body.String(), "Available representations: application/json\n")
	for path, want := range map[string]string{
		"/livez":                      "ok",
		"/readyz?exclude=shutdown":    "ok",
		"/healthz/ping":               "ok",
		"/readyz?verbose":             "[+]ping ok\n[+]storage ok\n[+]shutdown ok\nreadyz check passed\n",
		"/livez?verbose&exclude=none": "[+]ping ok\n[+]storage ok\nwarn: some health checks cannot be excluded: no matches for \"none\"\nlivez check passed\n",
	} {
		w := get(t, s, path)
		require.Equal(t, 200, w.Code, path)
		require.Equal(t, want, w.Body.String(), path)
		require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"), path)
	}
	stopping, stop := context.WithCancel(t.Context())
	stop()
	s.stopping = stopping
	w := get(t, s, "/readyz")
	require.Equal(t, 500, w.Code)
	require.Equal(t, "[+]ping ok\n[+]storage ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n", w.Body.String())
	require.Equal(t, 200, get(t, s, "/readyz?exclude=shutdown").Code)
	require.Equal(t, 500, get(t, s, "/readyz/shutdown").Code)
	require.Equal(t, 200, get(t, s, "/livez").Code)
}

func TestOpenAPIIndexNamesDocumentsByTheirContent(t *testing.T) {
	s := describedServer(t)
	w := get(t, s, "/openapi/v3")
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &index))
	require.Len(t, index.Paths, 3)
	url := index.Paths["apis/example.com/v1"].ServerRelativeURL
	require.Regexp(t, `^/openapi/v3/apis/example.com/v1\?hash=[0-9A-F]{128}$`, url)

	doc := get(t, s, url, "Accept", "application/json")
	require.Equal(t, 200, doc.Code)
	require.Equal(t, "public, immutable", doc.Header().Get("Cache-Control"))
	require.NotEmpty(t, doc.Header().Get("Expires"))
	require.Equal(t, http.StatusNotModified, get(t, s, url, "If-None-Match", doc.Header().Get("ETag")).Code)

	old := get(t, s, "/openapi/v3/apis/example.com/v1?hash=OLD")
	require.Equal(t, http.StatusMovedPermanently, old.Code)
	require.Equal(t, url, old.Header().Get("Location"))
	require.Equal(t, http.StatusNotAcceptable, get(t, s, url, "Accept", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf").Code)
}

func TestOpenAPIDocument(t *testing.T) {
	var doc object.Object
	require.NoError(t, json.Unmarshal(get(t, describedServer(t), "/openapi/v3/api/v1").Body.Bytes(), &doc))
	at := func(path ...string) any {
		v, ok := doc.Field(path...)
		require.True(t, ok, path)
		return v
	}
	const one = "/api/v1/namespaces/{namespace}/configmaps/{name}"
	require.Equal(t, "3.0.0", at("openapi"))
	for path, id := range map[[2]string]string{
		{one, "get"}:                                  "readCoreV1NamespacedConfigMap",
		{"/api/v1/configmaps", "get"}:                 "listCoreV1ConfigMapForAllNamespaces",
		{"/api/v1/namespaces", "post"}:                "createCoreV1Namespace",
		{one[:len(one)-7], "delete"}:                  "deleteCoreV1CollectionNamespacedConfigMap",
		{"/api/v1/namespaces/{name}/finalize", "put"}: "replaceCoreV1NamespaceFinalize",
	} {
		require.Equal(t, id, at("paths", path[0], path[1], "operationId"))
	}
	require.Equal(t, "patch", at("paths", one, "patch", "x-kubernetes-action"))
	require.Equal(t, map[string]any{"group": "", "version": "v1", "kind": "ConfigMap"}, at("paths", one, "patch", schemaGVK))
	require.Equal(t, []any{map[string]any{"group": "", "version": "v1", "kind": "ConfigMap"}}, at("components", "schemas", "io.k8s.api.core.v1.ConfigMap", schemaGVK))
	_, ok := doc.Field("paths", "/api/v1/namespaces", "delete")
	require.False(t, ok, "namespaces have no deletecollection")

	for path, ops := range at("paths").(map[string]any) {
		for method, op := range ops.(map[string]any) {
			if method != "post" && method != "put" && method != "patch" {
				continue
			}
			names := []string{}
			for _, p := range op.(map[string]any)["parameters"].([]any) {
				names = append(names, p.(map[string]any)["name"].(string))
			}
			require.Contains(t, names, "fieldValidation", "%s %s", method, path)
		}
	}
}

func TestOldOpenAPI(t *testing.T) {
	var doc object.Object
	require.NoError(t, json.Unmarshal(get(t, describedServer(t), "/openapi/v2").Body.Bytes(), &doc))
	require.Equal(t, "2.0", doc["swagger"])
	ref, ok := doc.Field("definitions", "com.example.v1.ThingList", "properties", "metadata", "$ref")
	require.True(t, ok)
	require.Equal(t, "#/definitions/"+schemaListMeta, ref)
	thing, ok := doc.Field("definitions", "com.example.v1.Thing")
	require.True(t, ok)
	require.Equal(t, map[string]any{
		"type": "object", schemaGVK: []any{map[string]any{"group": "example.com", "version": "v1", "kind": "Thing"}},
	}, thing, "it may have any field")
}

func TestResourcesAreChecked(t *testing.T) {
	good := func() Resource {
		return Resource{Group: "g", Plural: "as", Kind: "A", Versions: []Version{{Name: "v1"}}}
	}
	for _, test := range []struct {
		name   string
		change func(*Resource)
		err    string
	}{
		{"plural", func(r *Resource) { r.Plural = "As" }, `resource As.g: plural "As" is not a lower-case DNS label`},
		{"group", func(r *Resource) { r.Group = "-" }, `group "-" is not a DNS subdomain`},
		{"kind", func(r *Resource) { r.Kind = "" }, `kind "" is not a name`},
		{"list kind", func(r *Resource) { r.ListKind = "A" }, `kind and list kind are both "A"`},
		{"no versions", func(r *Resource) { r.Versions = nil }, "it has no versions"},
		{"version twice", func(r *Resource) { r.Versions = append(r.Versions, r.Versions...) }, "version v1 is there twice"},
		{"one-way conversion", func(r *Resource) {
			r.Versions[0].ToStored = func(o object.Object) (object.Object, error) { return o, nil }
		}, "version v1 converts in one direction only"},
		{"column", func(r *Resource) { r.Versions[0].Columns = []Column{{Name: "C", Type: "text"}} }, `version v1: column 0: C: type "text" is none of`},
		{"subresource", func(r *Resource) { r.Subresources = []Subresource{{Name: "status", Verbs: []string{"list"}}} }, `subresource status: verb "list"`},
		{"column of a view", func(r *Resource) {
			r.Subresources = []Subresource{{Name: "scale", Verbs: []string{"get"}, View: &View{Columns: []Column{{Name: "C", Type: "text"}}}}}
		}, `subresource scale: column 0: C: type "text" is none of`},
		{"short name", func(r *Resource) { r.ShortNames = []string{"A"} }, `short name "A"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := good()
			test.change(&r)
			_, err := newResourceSet(r)
			require.ErrorContains(t, err, test.err)
		})
	}
	other := good()
	_, err := newResourceSet(good(), other)
	require.EqualError(t, err, `resource as of group "g" is there already`)
	other.Plural = "bs"
	_, err = newResourceSet(good(), other)
	require.EqualError(t, err, `resource bs of group "g": kind A belongs to as already`)
}
