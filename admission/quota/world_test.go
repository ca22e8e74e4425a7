package quota_test

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// world is a cluster in memory, whose creations and changes a quota.Enforcer admits.
type world struct {
	enforcer *quota.Enforcer

	mu      sync.Mutex
	version int
	objects map[place]object.Object
	log     []quota.Event
	grown   chan struct{} // closed and replaced when the log grows

	// lists counts those made, onWrite is called before a status is written and onAdmitted
	// before what was admitted comes to pass.
	lists      int
	onWrite    func()
	onAdmitted func()

	// tells says whether the enforcer is told what came of requests.
	tells bool
}

type place struct {
	resource        object.GroupResource
	namespace, name string
}

func newWorld() *world {
	w := &world{objects: map[place]object.Object{}, grown: make(chan struct{})}
	w.enforcer = quota.New(w)
	return w
}

// inBubble runs a test with an Enforcer that follows its world.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.enforcer.Failed = func(err error) { t.Error(err) }
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			w.enforcer.Run(ctx)
		}()
		defer func() { stop(); <-stopped }()
		synctest.Wait()
		test(t, w)
	})
}

func (w *world) Quotas(_ context.Context, namespace string) ([]object.Object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []object.Object
	for p, o := range w.objects {
		if p.resource.Resource == "resourcequotas" && (namespace == "" || p.namespace == namespace) {
			found = append(found, o)
		}
	}
	return found, nil
}

func (w *world) UpdateStatus(_ context.Context, q object.Object) error {
	if w.onWrite != nil {
		w.onWrite()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := place{object.GroupResource{Resource: "resourcequotas"}, q.Namespace(), q.Name()}
	live := w.objects[p]
	switch {
	case live == nil:
		return object.NotFound(p.resource, p.name)
	case live.ResourceVersion() != q.ResourceVersion():
		return object.Conflict(p.resource, p.name, nil)
	}
	next := live.DeepCopy()
	next["status"] = q.DeepCopy()["status"]
	w.put(p, next)
	return nil
}

func (w *world) List(_ context.Context, resource object.GroupResource, namespace string) iter.Seq2[object.Object, error] {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists++
	var found []object.Object
	for p, o := range w.objects {
		if p.resource == resource && p.namespace == namespace {
			found = append(found, o)
		}
	}
	return func(yield func(object.Object, error) bool) {
		if resource.Group == "absent.example.com" {
			yield(nil, object.NotFound(resource, ""))
			return
		}
		for _, o := range found {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func (w *world) Names(ctx context.Context, resource object.GroupResource, namespace string) iter.Seq2[string, error] {
	list := w.List(ctx, resource, namespace)
	return func(yield func(string, error) bool) {
		list(func(o object.Object, err error) bool { return yield(o.Name(), err) })
	}
}

func (w *world) Watch(ctx context.Context) iter.Seq2[quota.Event, error] {
	return func(yield func(quota.Event, error) bool) {
		w.mu.Lock()
		at := len(w.log)
		w.mu.Unlock()
		if !yield(quota.Event{Type: object.Bookmark}, nil) {
			return
		}
		for ctx.Err() == nil {
			w.mu.Lock()
			log, grown := w.log, w.grown
			w.mu.Unlock()
			for ; at < len(log); at++ {
				if !yield(log[at], nil) {
					return
				}
			}
			select {
			case <-grown:
			case <-ctx.Done():
			}
		}
	}
}

// put stores an object, or with nil removes it. The mutex is held.
func (w *world) put(p place, o object.Object) {
	before := w.objects[p]
	w.version++
	event := quota.Event{Type: object.Modified, Resource: p.resource, Namespace: p.namespace, Name: p.name, Version: strconv.Itoa(w.version)}
	event.Objects = func() (object.Object, object.Object, error) { return o, before, nil }
	switch {
	case o == nil:
		event.Type = object.Deleted
		delete(w.objects, p)
	case before == nil:
		event.Type = object.Added
	}
	if o != nil {
		o.SetResourceVersion(strconv.Itoa(w.version))
		w.objects[p] = o
	}
	w.log = append(w.log, event)
	close(w.grown)
	w.grown = make(chan struct{})
}

// request makes a request about an object. old is what is there.
func (w *world) request(resource object.GroupResource, o, old object.Object) *admission.Request {
	req := &admission.Request{
		Operation: admission.Create, Resource: object.GroupVersionResource{Group: resource.Group, Version: "v1", Resource: resource.Resource},
		Name: o.Name(), Namespace: o.Namespace(), Object: o, OldObject: old,
	}
	if old != nil {
		req.Operation = admission.Update
	}
	return req
}

func (w *world) get(p place) object.Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.objects[p]
}

// create creates an object if it is admitted.
func (w *world) create(resource string, o object.Object) (err error) {
	gr := groupResource(resource)
	chain := admission.Chain{Validators: []admission.Validator{w.enforcer}}
	req := w.request(gr, o, nil)
	defer func() { w.finish(req, err) }()
	if err := chain.Validate(context.Background(), req); err != nil {
		return err
	}
	w.admitted()
	w.mu.Lock()
	defer w.mu.Unlock()
	p := place{gr, o.Namespace(), o.Name()}
	if w.objects[p] != nil {
		return object.AlreadyExists(gr, o.Name())
	}
	w.put(p, o)
	return nil
}

// update changes an object if that is admitted, in the state in which it is written.
func (w *world) update(resource, name, subresource string, change func(o object.Object)) error {
	gr := groupResource(resource)
	p := place{gr, namespace, name}
	for {
		old := w.get(p)
		if old == nil {
			return object.NotFound(gr, name)
		}
		next := old.DeepCopy()
		change(next)
		req := w.request(gr, next, old)
		req.Subresource = subresource
		chain := admission.Chain{Validators: []admission.Validator{w.enforcer}}
		if err := chain.Validate(context.Background(), req); err != nil {
			return err
		}
		w.admitted()
		if w.replace(p, next, old) {
			w.finish(req, nil)
			return nil
		}
		w.finish(req, errors.New("raced"))
	}
}

// replace changes an object if it is as it was.
func (w *world) replace(p place, next, old object.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	live := w.objects[p]
	if live == nil || live.ResourceVersion() != old.ResourceVersion() {
		return false
	}
	w.put(p, next)
	return true
}

func (w *world) finish(req *admission.Request, err error) {
	if w.tells {
		req.Finish(err == nil)
	}
}

func (w *world) admitted() {
	if w.onAdmitted != nil {
		w.onAdmitted()
	}
}

func (w *world) delete(resource, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := place{groupResource(resource), namespace, name}
	if w.objects[p] != nil {
		w.put(p, nil)
	}
}

// status gives a part of the status of a quota.
func (w *world) status(name, part string) map[string]any {
	v, _ := w.get(place{object.GroupResource{Resource: "resourcequotas"}, namespace, name}).Field("status", part)
	m, _ := v.(map[string]any)
	return m
}

func groupResource(s string) object.GroupResource {
	resource, group, _ := strings.Cut(s, ".")
	return object.GroupResource{Group: group, Resource: resource}
}

const namespace = "team"

// document reads an object, which is in the namespace and has the name x if it says nothing else.
func document(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := yaml.Decode([]byte(text))
	require.NoError(t, err)
	o.SetNamespace(namespace)
	if o.Name() == "" {
		o.SetName("x")
	}
	return o
}

// quotaOf makes a quota of limits in YAML.
func quotaOf(t testing.TB, name, hard string, spec ...string) object.Object {
	t.Helper()
	o := document(t, "{metadata: {name: "+name+"}, spec: {"+strings.Join(append([]string{"hard: {" + hard + "}"}, spec...), ", ")+"}}")
	o["status"] = map[string]any{}
	return o
}

func (w *world) addQuota(t testing.TB, name, hard string, spec ...string) {
	t.Helper()
	require.NoError(t, w.create("resourcequotas", quotaOf(t, name, hard, spec...)))
}
