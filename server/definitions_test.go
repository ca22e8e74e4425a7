package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// gears defines a cluster-scoped kind with some properties of its spec.
func gears(group, properties string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gears.%[1]s"},"spec":{
		"group":%[1]q,"scope":"Cluster","names":{"plural":"gears","kind":"Gear"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%[2]s}}}}}}]}}`, group, properties)
}

func gear(name string) string {
	return fmt.Sprintf(`{"apiVersion":"ex.org/v1","kind":"Gear","metadata":{"name":%q},"spec":{"teeth":3}}`, name)
}

const gearsPath = "/apis/ex.org/v1/gears"

func TestDefinitionsAreBackAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	open := func() (*Server, func()) {
		backend, err := bolt.Open(path)
		require.NoError(t, err)
		store, err := storage.New(backend, nil)
		require.NoError(t, err)
		s, err := New(Config{Store: store, CustomResources: &CustomResources{}, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		return s, func() {
			require.NoError(t, s.Shutdown(context.Background()))
			require.NoError(t, store.Close())
		}
	}
	s, stop := open()
	define(t, s, gears("ex.org", `"teeth":{"type":"integer"}`))
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, gearsPath, gear("a")).Code)
	version := s.config.Store.Version()
	stop()

	s, stop = open()
	defer stop()
	w := requestOf(t, s, http.MethodGet, gearsPath+"/a", "")
	require.Equal(t, http.StatusOK, w.Code, "it is served from the first request on")
	require.Contains(t, w.Body.String(), `"teeth":3`)
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, gearsPath, gear("b")).Code)
	require.Equal(t, version+1, s.config.Store.Version(), "nothing was written to bring it back")
	require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, definitionsPath+"/gears.ex.org", "").Code)
	require.Eventually(t, func() bool {
		return requestOf(t, s, http.MethodGet, gearsPath, "").Code == http.StatusNotFound
	}, 5*time.Second, time.Millisecond)
}

func TestDeletionThatWasInterrupted(t *testing.T) {
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	start := func() *Server {
		s, err := New(Config{Store: store, CustomResources: &CustomResources{}, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		return s
	}
	s := start()
	define(t, s, gears("ex.org", `"teeth":{"type":"integer"}`))
	held := strings.Replace(gear("held"), `"name"`, `"finalizers":["ex.org/held"],"name"`, 1)
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, gearsPath, held).Code)
	require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, definitionsPath+"/gears.ex.org", "").Code)
	require.NoError(t, s.Shutdown(context.Background()))

	s = start()
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	require.Equal(t, http.StatusForbidden, requestOf(t, s, http.MethodPost, gearsPath, gear("late")).Code)
	w := requestOf(t, s, http.MethodPatch, gearsPath+"/held", `{"metadata":{"finalizers":null}}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Eventually(t, func() bool {
		return requestOf(t, s, http.MethodGet, definitionsPath+"/gears.ex.org", "").Code == http.StatusNotFound
	}, 5*time.Second, time.Millisecond)
}

// Whoever creates objects while their definition goes leaves none behind.
func TestCreationWhileTheDefinitionGoes(t *testing.T) {
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	for range 5 {
		define(t, s, gears("ex.org", `"teeth":{"type":"integer"}`))
		var writers sync.WaitGroup
		stop := make(chan struct{})
		for w := range 8 {
			writers.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
						requestOf(t, s, http.MethodPost, gearsPath, gear(fmt.Sprintf("w%d-%d", w, i)))
					}
				}
			})
		}
		time.Sleep(5 * time.Millisecond) // some are created before, some are not
		require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, definitionsPath+"/gears.ex.org", "").Code)
		require.Eventually(t, func() bool {
			return requestOf(t, s, http.MethodGet, definitionsPath+"/gears.ex.org", "").Code == http.StatusNotFound
		}, 10*time.Second, time.Millisecond)
		close(stop)
		writers.Wait()
		requireNothingLeft(t, s, object.GroupResource{Group: "ex.org", Resource: "gears"})
	}
}

func TestProgramsAndCustomResources(t *testing.T) {
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	define(t, s, gears("ex.org", `"teeth":{"type":"integer","default":5}`))
	target := Target{Resource: object.GroupVersionResource{Group: "ex.org", Version: "v1", Resource: "gears"}}
	o := object.Object{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"color": "red"}}

	_, err := s.Create(t.Context(), target, o, WriteOptions{FieldValidation: fieldsStrict})
	require.ErrorContains(t, err, `strict decoding error: unknown field "spec.color"`)
	created, err := s.Create(t.Context(), target, o, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"teeth": int64(5)}, created["spec"])
	require.Equal(t, "ex.org/v1", created.APIVersion())
	require.Equal(t, map[string]any{"color": "red"}, o["spec"], "the document of the program is left alone")
}

func TestOpenAPIPartsOfOtherGroupsStay(t *testing.T) {
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	define(t, s, gears("ex.org", `"teeth":{"type":"integer"}`))
	define(t, s, gears("other.org", `"teeth":{"type":"integer"}`))
	s.openAPIIndex()
	parts := s.discovery.openAPI.parts
	before, other := parts["apis/ex.org/v1"], parts["apis/other.org/v1"]

	w := requestOf(t, s, http.MethodPatch, definitionsPath+"/gears.ex.org",
		`{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"rim":{"type":"string"}}}}}]}}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Eventually(t, func() bool {
		return strings.Contains(requestOf(t, s, http.MethodGet, "/openapi/v3/apis/ex.org/v1", "").Body.String(), `"rim"`)
	}, 5*time.Second, time.Millisecond)
	parts = s.discovery.openAPI.parts
	require.NotSame(t, before, parts["apis/ex.org/v1"])
	require.Same(t, other, parts["apis/other.org/v1"])
	require.Contains(t, requestOf(t, s, http.MethodGet, "/openapi/v2", "").Body.String(), `"rim"`)
}

func TestShape(t *testing.T) {
	shape := func(text string) string {
		doc, err := object.Decode([]byte(text))
		require.NoError(t, err)
		parsed, err := schema.Parse(doc)
		require.NoError(t, err)
		return shapeOf(parsed, false)
	}
	const plain = `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`
	require.Equal(t, shape(plain), shape(`{"type":"object","description":"d","properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":"string","maxLength":3}}}}}`),
		"what only validation looks at has no part in it")
	for name, other := range map[string]string{
		"another field":     `{"type":"object","properties":{"a":{"type":"object","properties":{"c":{"type":"string"}}}}}`,
		"a default":         `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","default":""}}}}}`,
		"unknown fields":    `{"type":"object","properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"string"}}}}}`,
		"fields elsewhere":  `{"type":"object","properties":{"a":{"type":"object"},"b":{"type":"string"}}}`,
		"additional fields": `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`,
		"items":             `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}}}}`,
		"null":              `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","nullable":true}}}}}`,
	} {
		require.NotEqual(t, shape(plain), shape(other), name)
	}
}
