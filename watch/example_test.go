package watch_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/watch"
)

func Example() {
	b := watch.New(watch.Options{})
	collection := object.Key{GroupResource: object.GroupResource{Resource: "configmaps"}}
	w, err := b.Watch(context.Background(), watch.WatchOptions{Collection: collection})
	if err != nil {
		panic(err)
	}
	key := collection
	key.Namespace, key.Name = "default", "a"
	b.Publish([]object.Event{{Type: object.Added, Key: key, Version: 1, Object: &object.Encoded{Version: 1}}})
	b.Close(errors.New("that was all"))
	for {
		event, err := w.Next(context.Background())
		if err != nil {
			fmt.Println(errors.Is(err, io.EOF), err)
			return
		}
		fmt.Println(event.Type, event.Key, event.Version)
	}
	// Output:
	// ADDED configmaps default/a 1
	// true watch ended: that was all
}
