package server_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// With custom resources turned on, whoever may create definitions brings resources
// of their own.
func ExampleCustomResources() {
	store, err := storage.New(memory.New(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	s, err := server.New(server.Config{Store: store, CustomResources: &server.CustomResources{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	defer s.Shutdown(ctx)

	definitions := server.Target{Resource: object.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}}
	kites, err := object.Decode([]byte(`{"metadata":{"name":"kites.example.com"},"spec":{
		"group":"example.com","scope":"Cluster","names":{"plural":"kites","kind":"Kite"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
			"type":"object","properties":{"tails":{"type":"integer","default":1}}}}}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	kites, err = s.Create(ctx, definitions, kites, server.WriteOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// It is in use when it says so.
	for event, err := range s.Watch(ctx, definitions, server.ListOptions{ResourceVersion: kites.ResourceVersion()}) {
		if err != nil || definition.IsTrue(event.Object, "Established") {
			break
		}
	}
	kite, err := s.Create(ctx, server.Target{
		Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "kites"},
	}, object.Object{"metadata": map[string]any{"name": "red"}}, server.WriteOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kite["tails"])
	// Output: 1
}
