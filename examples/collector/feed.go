package main

import (
	"context"
	"errors"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// errMissed ends a watch in which changes were missed. All that is known is in doubt then.
var errMissed = errors.New("changes were missed")

// feed passes on what becomes of the objects of a resource: it is what the reflector of
// client-go takes for its store, and it keeps nothing.
type feed struct {
	resource
	kinds  *kinds
	events chan<- gc.Event
	fail   func(error)
	done   <-chan struct{} // closed when the feed is to stop

	stop  context.CancelFunc
	once  sync.Once
	tried chan struct{} // closed when the objects are listed, or can't be
}

// run watches until ctx ends.
func (f *feed) run(ctx context.Context, objects metadata.Interface) {
	at := objects.Resource(f.gvr)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			list, err := at.List(ctx, opts)
			if err != nil {
				f.once.Do(func() { close(f.tried) })
				return nil, err
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return at.Watch(ctx, opts)
		},
	}
	cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, objects), &metav1.PartialObjectMetadata{}, f,
		cache.ReflectorOptions{Name: f.group().String()}).RunWithContext(ctx)
}

// Replace is told of all objects: at the beginning, and when the watch from there on broke.
func (f *feed) Replace(all []any, _ string) error {
	if f.kinds.isListed(f.group()) {
		f.fail(errMissed)
		return nil
	}
	for _, o := range all {
		if o := f.describe(o); gc.Concerns(o) {
			f.send(object.Added, o)
		}
	}
	f.kinds.setListed(f.group(), true)
	f.once.Do(func() { close(f.tried) })
	return nil
}

func (f *feed) Add(o any) error    { f.send(object.Added, f.describe(o)); return nil }
func (f *feed) Update(o any) error { f.send(object.Modified, f.describe(o)); return nil }
func (f *feed) Delete(o any) error { f.send(object.Deleted, f.describe(o)); return nil }
func (f *feed) Resync() error      { return nil }

func (f *feed) describe(o any) object.Object {
	return describe(f.resource, &o.(*metav1.PartialObjectMetadata).ObjectMeta)
}

func (f *feed) send(what object.EventType, o object.Object) {
	e := gc.Event{Type: what, Object: o, Key: object.Key{GroupResource: f.group(), Namespace: o.Namespace(), Name: o.Name()}}
	select {
	case f.events <- e:
	case <-f.done:
	}
}
