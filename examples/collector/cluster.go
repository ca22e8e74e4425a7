package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// cluster is a server as a collector sees it, through its API.
type cluster struct {
	objects metadata.Interface
	events  corev1client.EventsGetter
	kinds   *kinds
	logger  *slog.Logger
}

var _ gc.Unordered = (*cluster)(nil)

// name is what the collector calls itself in what it writes.
const name = "plinth-collector"

// Version implements [gc.Cluster]. What is newest is not known, so that Settle would
// wait for what there was at the beginning only.
func (*cluster) Version() object.ResourceVersion { return 1 }

// Resource implements [gc.Cluster].
func (c *cluster) Resource(kind object.GroupVersionKind) (gc.Resource, error) {
	return c.kinds.find(kind)
}

// at is where an object can be reached.
func (c *cluster) at(key object.Key) (metadata.ResourceInterface, resource, error) {
	r, err := c.kinds.resource(key.GroupResource)
	if err != nil {
		return nil, r, err
	}
	return c.objects.Resource(r.gvr).Namespace(key.Namespace), r, nil
}

// Get implements [gc.Cluster]. It gives nothing that is to be watched and is not yet: that it
// is deleted a moment later nobody would see.
func (c *cluster) Get(ctx context.Context, key object.Key) (object.Object, error) {
	at, r, err := c.at(key)
	if err != nil {
		return nil, err
	}
	if r.watched && !c.kinds.isListed(key.GroupResource) {
		return nil, fmt.Errorf("%s were not listed yet", key.GroupResource)
	}
	o, err := at.Get(ctx, key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, translate(err, key)
	}
	return describe(r, &o.ObjectMeta), nil
}

// Named implements [gc.Cluster].
func (c *cluster) Named(ctx context.Context, group object.GroupResource, name string) (found []object.Object, err error) {
	err = c.list(ctx, object.Key{GroupResource: group}, fields.OneTermEqualSelector("metadata.name", name), func(_ object.Key, o object.Object) {
		found = append(found, o)
	})
	return found, err
}

// Dependents implements [gc.Unordered].
func (c *cluster) Dependents(ctx context.Context, owner object.Key, uid string) (map[object.Key]object.Object, error) {
	if err := c.kinds.refresh(ctx); err != nil {
		return nil, err
	}
	found := map[object.Key]object.Object{}
	for group, r := range c.kinds.watched() {
		if owner.Namespace != "" && !r.namespaced {
			continue
		}
		err := c.list(ctx, object.Key{GroupResource: group, Namespace: owner.Namespace}, fields.Everything(), func(key object.Key, o object.Object) {
			for _, ref := range o.OwnerReferences() {
				if ref.UID == uid {
					found[key] = o
				}
			}
		})
		if err != nil && !object.IsNotFound(err) { // a kind that is gone has no objects
			return nil, fmt.Errorf("looking for dependents: %w", err)
		}
	}
	return found, nil
}

// pageSize is how many objects are listed at once.
const pageSize = 500

// list visits the objects of a resource, in one namespace or in all.
func (c *cluster) list(ctx context.Context, of object.Key, selector fields.Selector, visit func(object.Key, object.Object)) error {
	at, r, err := c.at(of)
	if err != nil {
		return err
	}
	opts := metav1.ListOptions{Limit: pageSize, FieldSelector: selector.String()}
	for {
		page, err := at.List(ctx, opts)
		if err != nil {
			return translateList(err, of)
		}
		for i := range page.Items {
			visit(keyOf(r, &page.Items[i].ObjectMeta), describe(r, &page.Items[i].ObjectMeta))
		}
		if opts.Continue = page.Continue; opts.Continue == "" {
			return nil
		}
	}
}

// Delete implements [gc.Cluster].
func (c *cluster) Delete(ctx context.Context, key object.Key, opts gc.DeleteOptions) error {
	at, _, err := c.at(key)
	if err != nil {
		return err
	}
	o := metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: (*types.UID)(opts.Preconditions.UID), ResourceVersion: opts.Preconditions.ResourceVersion},
		PropagationPolicy: (*metav1.DeletionPropagation)(opts.PropagationPolicy),
	}
	return translate(at.Delete(ctx, key.Name, o), key)
}

// Patch implements [gc.Cluster].
func (c *cluster) Patch(ctx context.Context, key object.Key, patch []byte) error {
	at, _, err := c.at(key)
	if err != nil {
		return err
	}
	_, err = at.Patch(ctx, key.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: name})
	return translate(err, key)
}

// Report implements [gc.Cluster]. The same is recorded once.
func (c *cluster) Report(ctx context.Context, about object.Object, reason, message string) error {
	namespace := about.Namespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(about.UID() + reason + message))
	now := metav1.NewTime(time.Now())
	_, err := c.events.Events(namespace).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s.%x", about.Name(), digest.Sum64()), Namespace: namespace},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: about.APIVersion(), Kind: about.Kind(), Namespace: about.Namespace(), Name: about.Name(),
			UID: types.UID(about.UID()), ResourceVersion: about.ResourceVersion(),
		},
		Type: corev1.EventTypeWarning, Reason: reason, Message: message,
		Source: corev1.EventSource{Component: name}, ReportingController: name,
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, metav1.CreateOptions{FieldManager: name})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
