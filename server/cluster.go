package server

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Cluster is the server as the collectors of package gc see it: its verbs and the feed of its
// store, for a program that needs no one's permission.
func (s *Server) Cluster() gc.Cluster { return cluster{s} }

type cluster struct{ *Server }

// The collector as the objects know it that it writes.
const (
	collectorName    = "garbage-collector-controller"
	collectorManager = "garbage-collector"
)

var collectorUser = object.User{
	Name:   "system:serviceaccount:kube-system:generic-garbage-collector",
	Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
}

// Watch implements [gc.Cluster].
func (c cluster) Watch(ctx context.Context) iter.Seq2[gc.Event, error] {
	return func(yield func(gc.Event, error) bool) {
		f := newOwnershipFeed(c)
		from, cancel := c.config.Store.Subscribe(f.take)
		defer cancel()
		if c.initial(ctx, from, f.set, yield) {
			f.run(ctx, from, yield)
		}
	}
}

// initial yields the objects that there are at a version.
func (c cluster) initial(ctx context.Context, at object.ResourceVersion, set *resourceSet, yield func(gc.Event, error) bool) (more bool) {
	if at > 0 {
		for collection := range set.byCollection {
			if !c.initialOf(ctx, collection, at, yield) {
				return false
			}
		}
	}
	return yield(gc.Event{Type: object.Bookmark, Version: max(1, at)}, nil)
}

func (c cluster) initialOf(ctx context.Context, collection object.GroupResource, at object.ResourceVersion, yield func(gc.Event, error) bool) (more bool) {
	list, err := c.config.Store.List(ctx, object.Key{GroupResource: collection}, storage.ListOptions{ResourceVersion: at.String(), Match: storage.Exact})
	if err != nil {
		return yield(gc.Event{}, err)
	}
	more = true
	err = list.Each(func(key object.Key, e *object.Encoded) error {
		if !more || !concernsOwners(e) {
			return nil
		}
		event, err := c.ownershipEvent(object.Event{Type: object.Added, Key: key, Version: e.Version, Object: e})
		if err == nil {
			more = yield(event, nil)
		}
		return err
	})
	if err != nil {
		return yield(gc.Event{}, fmt.Errorf("reading %s: %w", collection, err))
	}
	return more
}

// Version implements [gc.Cluster].
func (c cluster) Version() object.ResourceVersion { return max(1, c.config.Store.Version()) }

// Resource implements [gc.Cluster].
func (c cluster) Resource(kind object.GroupVersionKind) (gc.Resource, error) {
	found, ok := c.resources.Load().ofKind(kind)
	if !ok {
		return gc.Resource{}, object.NotFound(object.GroupResource{Group: kind.Group, Resource: kind.Kind}, "")
	}
	return gc.Resource{GroupResource: found.collection, Namespaced: found.Namespaced}, nil
}

// Get implements [gc.Cluster].
func (c cluster) Get(ctx context.Context, key object.Key) (object.Object, error) {
	e, err := c.config.Store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return c.described(key, e)
}

// described gives the type and the metadata of a stored object.
func (c cluster) described(key object.Key, e *object.Encoded) (object.Object, error) {
	metadata, err := decodeMetadata(e)
	if err != nil {
		return nil, err
	}
	o := object.Object{"metadata": metadata}
	if found, ok := c.resources.Load().ofCollection(key.GroupResource); ok {
		o.SetType(found.typeMeta)
	}
	return o, nil
}

// fieldValue makes any text a value of a field selector.
var fieldValue = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)

// Named implements [gc.Cluster].
func (c cluster) Named(ctx context.Context, resource object.GroupResource, name string) (found []object.Object, err error) {
	fields, err := object.ParseFieldSelector("metadata.name=" + fieldValue.Replace(name))
	if err != nil {
		return nil, err
	}
	list, err := c.config.Store.List(ctx, object.Key{GroupResource: resource}, storage.ListOptions{Selector: object.Selector{Fields: fields}})
	if err != nil {
		return nil, err
	}
	err = list.Each(func(key object.Key, e *object.Encoded) error {
		o, err := c.described(key, e)
		found = append(found, o)
		return err
	})
	return found, err
}

// Delete implements [gc.Cluster].
func (c cluster) Delete(ctx context.Context, key object.Key, opts gc.DeleteOptions) error {
	target, err := c.target(key)
	if err != nil {
		return err
	}
	_, _, err = c.Server.Delete(ctx, target, opts)
	return err
}

// Patch implements [gc.Cluster].
func (c cluster) Patch(ctx context.Context, key object.Key, patch []byte) error {
	target, err := c.target(key)
	if err != nil {
		return err
	}
	_, err = c.Server.Patch(ctx, target, apply.MergePatch, patch, WriteOptions{FieldManager: collectorManager})
	return err
}

var errNotServed = errors.New("the resource is not served")

func (c cluster) target(key object.Key) (Target, error) {
	found, ok := c.resources.Load().ofCollection(key.GroupResource)
	if !ok { // which is not to say that the object is not there
		return Target{}, fmt.Errorf("%s: %w", key.GroupResource, errNotServed)
	}
	return Target{Resource: found.gvr, Namespace: key.Namespace, Name: key.Name, User: collectorUser}, nil
}

// Report implements [gc.Cluster]. Where no events are served, nothing is recorded; and the
// same is recorded once.
func (c cluster) Report(ctx context.Context, about object.Object, reason, message string) error {
	events := object.GroupVersionResource{Version: "v1", Resource: "events"}
	if _, ok := c.resources.Load().find(events); !ok {
		return nil
	}
	namespace := about.Namespace()
	if namespace == "" {
		namespace = "default"
	}
	target := Target{Resource: events, Namespace: namespace, User: collectorUser}
	_, err := c.Create(ctx, target, warningEvent(about, namespace, reason, message), WriteOptions{FieldManager: collectorManager})
	if object.IsAlreadyExists(err) || errors.Is(err, object.ErrForbidden) { // the namespace is on its way out
		return nil
	}
	return err
}

// maxEventPrefix is how much of a name fits into that of an event, beside a dot and the digits.
const maxEventPrefix = 253 - 17

func warningEvent(about object.Object, namespace, reason, message string) object.Object {
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(about.UID() + reason + message))
	now := time.Now().UTC().Format(time.RFC3339)
	involved := map[string]any{
		"kind": about.Kind(), "apiVersion": about.APIVersion(), "name": about.Name(), "uid": about.UID(),
		"resourceVersion": about.ResourceVersion(),
	}
	if about.Namespace() != "" {
		involved["namespace"] = about.Namespace()
	}
	name := strings.TrimRight(about.Name()[:min(len(about.Name()), maxEventPrefix)], "-.") // where names must not end
	return object.Object{
		"kind": "Event", "apiVersion": "v1",
		"metadata":       map[string]any{"name": fmt.Sprintf("%s.%x", name, digest.Sum64()), "namespace": namespace},
		"involvedObject": involved, "reason": reason, "message": message, "type": "Warning",
		"source": map[string]any{"component": collectorName}, "reportingComponent": collectorName, "reportingInstance": "",
		"firstTimestamp": now, "lastTimestamp": now, "eventTime": nil, "count": int64(1),
	}
}
