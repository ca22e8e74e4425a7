// Command quickstart keeps objects of a type of its own in a file and acts on
// their changes: a declarative API inside a program, without HTTP.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
)

// Widget is a type as a program declares it.
type Widget struct {
	object.TypeMeta
	object.ObjectMeta `json:"metadata"`
	Spec              Size `json:"spec"`   // what is wanted
	Status            Size `json:"status"` // what is
}

// Size is in millimetres.
type Size struct {
	Size int `json:"size"`
}

var widgets = storage.Kind{
	GroupVersionKind: object.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
	Plural:           "widgets", Namespaced: true,
}

func main() {
	if err := run(context.Background(), "quickstart.db", os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run wants a widget of size 3 and gives it that size.
func run(ctx context.Context, path string, out io.Writer) error {
	backend, err := bolt.Open(path)
	if err != nil {
		return err
	}
	store, err := storage.New(backend, nil)
	if err != nil {
		return err
	}
	defer store.Close()

	w := storage.For[Widget](store, widgets)
	wanted := &Widget{ObjectMeta: object.ObjectMeta{Namespace: "shop", GenerateName: "w-"}}
	wanted.Spec.Size = 3
	if _, err := w.Create(ctx, wanted); err != nil {
		return err
	}
	for event, err := range w.Watch(ctx, "shop", "") {
		if err != nil {
			return err
		}
		o := event.Object
		fmt.Fprintf(out, "%s, generation %d: wants %d, has %d\n", event.Type, o.Generation, o.Spec.Size, o.Status.Size)
		if o.Status.Size == o.Spec.Size {
			_, err := w.Delete(ctx, o.Namespace, o.Name, storage.Preconditions{})
			return err
		}
		o.Status.Size = o.Spec.Size
		if _, err := w.Update(ctx, o); err != nil {
			return err
		}
	}
	return nil
}
