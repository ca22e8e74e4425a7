package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// boats describes the resource of these examples.
var boats = server.Resource{
	Group: "example.com", Plural: "boats", Kind: "Boat",
	Versions: []server.Version{{Name: "v1"}},
}

// boat is where a boat is kept, or with an empty name all of them.
func boat(name string) server.Target {
	return server.Target{
		Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "boats"},
		Name:     name,
	}
}

// harbour serves boats from memory. What it returns ends it.
func harbour() (*server.Server, func()) {
	store, err := storage.New(memory.New(), nil)
	if err != nil {
		panic(err)
	}
	s, err := server.New(server.Config{Store: store, Resources: []server.Resource{boats}})
	if err != nil {
		panic(err)
	}
	return s, func() {
		_ = s.Shutdown(context.Background())
		_ = store.Close()
	}
}

// A server is an http.Handler for the clients of an API.
func ExampleServer_ServeHTTP() {
	s, stop := harbour()
	defer stop()
	client := &http.Client{Transport: server.Transport(s)} // or http.ListenAndServe(":8080", s)
	answer, err := client.Post("http://harbour/apis/example.com/v1/boats", "application/json",
		strings.NewReader(`{"metadata":{"name":"dory"},"sails":1}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	// Output: 201 Created
}

func ExampleServer_Create() {
	s, stop := harbour()
	defer stop()
	o, err := s.Create(context.Background(), boat(""), object.Object{
		"metadata": map[string]any{"generateName": "dory-"},
		"sails":    int64(1),
	}, server.WriteOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.Kind(), o.APIVersion(), o.ResourceVersion(), len(o.Name()))
	// Output: Boat example.com/v1 2 10
}

// An update of a version that is not the live one any more is a conflict.
func ExampleServer_Update() {
	s, stop := harbour()
	defer stop()
	ctx := context.Background()
	o, _ := s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": "dory"}}, server.WriteOptions{})
	o["sails"] = int64(2)
	_, err := s.Update(ctx, boat("dory"), o, server.WriteOptions{})
	fmt.Println(err)
	_, err = s.Update(ctx, boat("dory"), o, server.WriteOptions{})
	fmt.Println(object.IsConflict(err))
	// Output:
	// <nil>
	// true
}

func ExampleServer_Patch() {
	s, stop := harbour()
	defer stop()
	ctx := context.Background()
	_, _ = s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": "dory"}}, server.WriteOptions{})
	o, err := s.Patch(ctx, boat("dory"), apply.MergePatch, []byte(`{"sails":3}`), server.WriteOptions{})
	fmt.Println(o["sails"], err)
	// Output: 3 <nil>
}

func ExampleServer_List() {
	s, stop := harbour()
	defer stop()
	ctx := context.Background()
	for _, name := range []string{"ark", "brig", "cutter"} {
		_, _ = s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": name}}, server.WriteOptions{})
	}
	opts := server.ListOptions{Limit: 2}
	for {
		page, meta, err := s.List(ctx, boat(""), opts)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, o := range page {
			fmt.Println(o.Name())
		}
		if opts.Continue = meta.Continue; opts.Continue == "" {
			return
		}
	}
	// Output:
	// ark
	// brig
	// cutter
}

// A watch goes on until its context ends, or until the loop is left.
func ExampleServer_Watch() {
	s, stop := harbour()
	defer stop()
	ctx := context.Background()
	first, _ := s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": "ark"}}, server.WriteOptions{})
	_, _ = s.Patch(ctx, boat("ark"), apply.MergePatch, []byte(`{"animals":2}`), server.WriteOptions{})
	_, _, _ = s.Delete(ctx, boat("ark"), gc.DeleteOptions{})
	for e, err := range s.Watch(ctx, boat(""), server.ListOptions{ResourceVersion: first.ResourceVersion()}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Type, e.Object.Name())
		if e.Type == object.Deleted {
			break
		}
	}
	// Output:
	// MODIFIED ark
	// DELETED ark
}

func ExampleServer_Delete() {
	s, stop := harbour()
	defer stop()
	ctx := context.Background()
	_, _ = s.Create(ctx, boat(""), object.Object{
		"metadata": map[string]any{"name": "ark", "finalizers": []any{"example.com/flood"}},
	}, server.WriteOptions{})
	o, removed, err := s.Delete(ctx, boat("ark"), gc.DeleteOptions{})
	fmt.Println(removed, err, o.Finalizers())
	// Output: false <nil> [example.com/flood]
}

func ExampleServer_DeleteCollection() {
	s, stop := harbour()
	defer stop()
	ctx := context.Background()
	for _, name := range []string{"ark", "brig", "cutter"} {
		_, _ = s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": name}}, server.WriteOptions{})
	}
	err := s.DeleteCollection(ctx, boat(""), server.ListOptions{FieldSelector: "metadata.name!=ark"}, gc.DeleteOptions{})
	left, _, _ := s.List(ctx, boat(""), server.ListOptions{})
	fmt.Println(len(left), left[0].Name(), err)
	// Output: 1 ark <nil>
}

// Resources come and go while the server runs.
func ExampleServer_Add() {
	s, stop := harbour()
	defer stop()
	err := s.Add(server.Resource{
		Group: "example.com", Plural: "harbours", Kind: "Harbour",
		Versions: []server.Version{{Name: "v1"}, {Name: "v1beta1"}},
	})
	fmt.Println(err)
	s.Remove(object.GroupResource{Group: "example.com", Resource: "boats"})
	_, err = s.Get(context.Background(), boat("ark"))
	fmt.Println(err)
	// Output:
	// <nil>
	// the server could not find the requested resource
}
