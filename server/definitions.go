package server

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"time"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// definitions makes what a server serves follow the definitions in its store. One
// goroutine looks at those that changed, by their names, until nothing is left to do;
// what it does depends on the state it finds alone.
type definitions struct {
	*Server
	kind        *served // of definitions
	shared      *definition.Shared
	prepared    *Prepared // nil if nothing is kept for other servers
	unsubscribe func()
	done        chan struct{} // closed when the goroutine has ended

	queue nameQueue

	// Of the goroutine, and of start before it runs.
	known map[string]*installed // by name
}

// installed is what is known of one definition.
type installed struct {
	group      string
	generation int64
	accepted   definition.Names
	resource   *customResource // nil while nothing is served
	closed     bool            // it is being deleted: nothing new is created

	plural  string                 // of the resource served
	settled object.ResourceVersion // of the definition with nothing left to do, if there was one
}

// serverManager owns what the server itself writes to objects.
const serverManager = "kube-apiserver"

// retryAfter is how long a definition rests that could not be dealt with.
const retryAfter = 5 * time.Second

// newDefinitions brings back what the definitions in the store have established, so
// that all of it is served from the first request on.
func newDefinitions(s *Server, shared *definition.Shared, prepared *Prepared) (*definitions, error) {
	d := &definitions{Server: s, shared: shared, prepared: prepared, done: make(chan struct{}), known: map[string]*installed{}}
	d.queue.init()
	kind, _ := s.resources.Load().find(object.GroupVersionResource{
		Group: definitionResource.Group, Version: "v1", Resource: definitionResource.Resource})
	d.kind = kind
	_, d.unsubscribe = s.config.Store.Subscribe(d.notice)
	if err := d.load(s.stopping); err != nil {
		d.unsubscribe()
		return nil, fmt.Errorf("reading the definitions of custom resources: %w", err)
	}
	return d, nil
}

// load serves what is established by the definitions that are stored.
func (d *definitions) load(ctx context.Context) error {
	list, err := d.config.Store.List(ctx, object.Key{GroupResource: definitionResource}, storage.ListOptions{})
	if err != nil {
		return err
	}
	return list.Each(func(key object.Key, e *object.Encoded) error {
		if d.recall(key.Name, e) {
			return nil
		}
		o, err := e.Object(d.kind.typeMeta)
		if err != nil {
			return err
		}
		d.queue.add(o.Name())
		if servable(o) {
			d.install(o)
		}
		d.note(o)
		return nil
	})
}

// start begins to follow the store, until the server stops.
func (d *definitions) start() {
	go func() {
		defer close(d.done)
		defer d.unsubscribe()
		d.run(d.stopping)
	}()
}

// Settle waits until what is served follows all definitions that are stored. One that could not
// be dealt with, and is tried again later, is not waited for. The error is that of ctx.
func (s *Server) Settle(ctx context.Context) error {
	if s.definitions == nil {
		return nil
	}
	return s.definitions.queue.settled(ctx)
}

// servable says whether the objects of a definition are served.
func servable(o object.Object) bool {
	return definition.IsTrue(o, "NamesAccepted") || definition.IsTrue(o, "Established")
}

// notice is told of every commit, and must not block.
func (d *definitions) notice(events []object.Event) {
	for i := range events {
		e := &events[i]
		if e.Key.GroupResource == definitionResource {
			d.queue.add(e.Key.Name)
		} else if e.Type == object.Deleted {
			d.queue.left(e.Key.GroupResource)
		}
	}
}

func (d *definitions) run(ctx context.Context) {
	for {
		name, ok := d.queue.next(ctx)
		if !ok {
			return
		}
		if err := d.reconcileSafely(ctx, name); err != nil && ctx.Err() == nil {
			d.config.Logger.ErrorContext(ctx, "custom resource definition", "name", name, "error", err)
			d.queue.addAfter(name, retryAfter)
		}
	}
}

// reconcileSafely survives a panic: one definition must not take the others along.
func (d *definitions) reconcileSafely(ctx context.Context, name string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return d.reconcile(ctx, name)
}

// reconcile brings one definition a step forward. Its status is written at most
// once; the event of that brings the next step.
func (d *definitions) reconcile(ctx context.Context, name string) error {
	live, err := d.config.Store.Get(ctx, object.Key{GroupResource: definitionResource, Name: name})
	if object.IsNotFound(err) {
		d.forget(name)
		return nil
	}
	if err != nil {
		return err
	}
	if known := d.known[name]; known != nil && known.settled == live.Version {
		return nil // what was written last; large documents take their time
	}
	o, err := live.Object(d.kind.typeMeta)
	if err != nil {
		return err
	}
	if known := d.known[name]; known != nil && known.resource != nil && known.resource.UID != o.UID() {
		d.forget(name) // another one of the same name
	}
	read := storedDefinition{live, withOwnStatus(o)}
	if !o.DeletionTimestamp().IsZero() && hasCleanup(o) {
		return d.terminate(ctx, read, o)
	}
	return d.establish(ctx, read, o)
}

// storedDefinition is a definition as it was read. Its status is about to change in a copy.
type storedDefinition struct {
	*object.Encoded
	object object.Object
}

// withOwnStatus copies of a definition what the server itself may write; schemas can be large.
func withOwnStatus(o object.Object) object.Object {
	copied := maps.Clone(o)
	for _, name := range []string{"metadata", "status"} {
		if part, ok := o[name].(map[string]any); ok {
			copied[name] = map[string]any(object.Object(part).DeepCopy())
		}
	}
	return copied
}

// establish settles the names of a definition, serves it and says so.
func (d *definitions) establish(ctx context.Context, live storedDefinition, o object.Object) error {
	now := time.Now()
	names := d.namesBeside(o)
	accepted := definition.AcceptNames(o, names, now)
	changed := definition.MarkApproval(o, now) || accepted
	if known := d.known[o.Name()]; known == nil || known.generation != o.Generation() {
		changed = definition.MarkSchema(o, now) || changed
	}
	if servable(o) {
		d.install(o)
	}
	changed = definition.Establish(o, now) || changed
	d.note(o)
	if accepted {
		d.askGroup(o) // names may have become free
	}
	written := live.Encoded
	if changed {
		var err error
		if written, err = d.write(ctx, live, o); err != nil {
			return err
		}
	}
	if written != nil && definition.IsTrue(o, "NamesAccepted") && definition.IsTrue(o, "Established") {
		d.known[o.Name()].settled = written.Version
		d.remember(o.Name(), written)
	}
	return nil
}

// write puts a definition back with another status. If another write came in
// between, it gives nil, and the definition is looked at again.
func (d *definitions) write(ctx context.Context, live storedDefinition, o object.Object) (*object.Encoded, error) {
	writer := apply.Writer{Manager: serverManager, Subresource: "status", Filter: exceptSpec, Now: time.Now()}
	if err := d.kind.merger.Track(live.object, o, writer); err != nil {
		d.config.Logger.WarnContext(ctx, "managed fields", "definition", o.Name(), "error", err)
	}
	encoded, err := d.kind.encode(o)
	if err != nil {
		return nil, err
	}
	written, err := d.config.Store.Put(ctx, object.Key{GroupResource: definitionResource, Name: o.Name()}, live.Encoded, encoded, 0)
	if object.IsConflict(err) {
		d.queue.add(o.Name())
		return nil, nil
	}
	return written, err
}

// namesBeside are the accepted names of all other definitions of the group.
func (d *definitions) namesBeside(o object.Object) []definition.Names {
	var names []definition.Names
	group := groupOf(o)
	for name, known := range d.known {
		if name != o.Name() && known.group == group {
			names = append(names, known.accepted)
		}
	}
	return names
}

// note remembers what the others of the group must know.
func (d *definitions) note(o object.Object) {
	known := d.known[o.Name()]
	if known == nil {
		known = &installed{}
		d.known[o.Name()] = known
	}
	known.group, known.generation, known.accepted = groupOf(o), o.Generation(), definition.AcceptedNames(o)
}

// askGroup has the other definitions of the group looked at again.
func (d *definitions) askGroup(o object.Object) {
	for name, known := range d.known {
		if name != o.Name() && known.group == groupOf(o) {
			d.queue.add(name)
		}
	}
}

func groupOf(o object.Object) string {
	group, _ := o.Field("spec", "group")
	text, _ := group.(string)
	return text
}
