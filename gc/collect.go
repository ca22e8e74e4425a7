package gc

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// errNoOwnerThere says that a reference names an object in a namespace while the
// dependent is in none: there can't be such an owner.
var errNoOwnerThere = errors.New("an object without a namespace has no owner in one")

// resolve gives the key of a claimed owner.
func (c *Collector) resolve(at *claim) (object.Key, error) {
	r, err := c.cluster.Resource(at.kind)
	if err != nil {
		return object.Key{}, fmt.Errorf("finding the kind of the owner %s %q: %w", at.kind, at.name, err)
	}
	key := object.Key{GroupResource: r.GroupResource, Name: at.name}
	if r.Namespaced {
		if at.namespace == "" {
			return key, errNoOwnerThere
		}
		key.Namespace = at.namespace
	}
	return key, nil
}

// refs are the references of an object, sorted by what became of the owners.
type refs struct {
	solid    []object.OwnerReference // they live
	dangling []object.OwnerReference // they are gone
	waiting  []object.OwnerReference // they are being deleted and wait for their dependents
}

// classify looks at the owners of an object as they are now.
func (c *Collector) classify(ctx context.Context, key object.Key, o object.Object) (all refs, err error) {
	for _, ref := range o.OwnerReferences() {
		owner, err := c.ownerOf(ctx, key, o, ref)
		switch {
		case err != nil:
			return refs{}, err
		case owner == nil:
			all.dangling = append(all.dangling, ref)
		case !owner.DeletionTimestamp().IsZero() && hasFinalizer(owner, object.FinalizerForeground):
			all.waiting = append(all.waiting, ref)
		default:
			all.solid = append(all.solid, ref)
		}
	}
	return all, nil
}

// ownerOf reads an owner, nil if it is not there. What the references say is believed:
// an object with the right uid under another name or kind is no owner.
func (c *Collector) ownerOf(ctx context.Context, of object.Key, o object.Object, ref object.OwnerReference) (object.Object, error) {
	says := claimOf(of.Namespace, &ref)
	key, err := c.resolve(says)
	if errors.Is(err, errNoOwnerThere) {
		c.reportNamespace(ctx, of, o, ref)
	}
	if err != nil {
		return nil, err
	}
	g, _ := c.glance(ref.UID)
	if g.state == gone || g.state == missed && g.claim.sameName(says) {
		return nil, nil
	}
	owner, err := c.cluster.Get(ctx, key)
	switch {
	case err == nil && owner.UID() == ref.UID:
		return owner, nil
	case err != nil && !object.IsNotFound(err):
		return nil, fmt.Errorf("reading the owner %s of %s: %w", key, of, err)
	}
	other, err := c.elsewhere(ctx, ref.UID, key)
	if err == nil && other.Name != "" {
		c.reportNamespace(ctx, of, o, ref)
	}
	return nil, err
}

// reportNamespace tells of an owner that cannot be one because of its namespace. Collecting
// goes on without the report if need be.
func (c *Collector) reportNamespace(ctx context.Context, key object.Key, o object.Object, ref object.OwnerReference) {
	message := fmt.Sprintf("ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist in namespace %q",
		ref.APIVersion, ref.Kind, key.Namespace, ref.Name, ref.UID, key.Namespace)
	if err := c.cluster.Report(ctx, o, "OwnerRefInvalidNamespace", message); err != nil {
		c.logger.WarnContext(ctx, "collecting garbage: reporting", "object", key.String(), "message", message, "error", err)
	}
}

// collect deletes an object of which no owner lives, and takes the references to absent
// owners from others.
func (c *Collector) collect(ctx context.Context, g glance, o object.Object) error {
	all, err := c.classify(ctx, g.key, o)
	switch {
	case errors.Is(err, errNoOwnerThere):
		return nil // reported; what is meant nobody knows
	case err != nil:
		return err
	case len(all.solid) > 0 && len(all.dangling)+len(all.waiting) > 0:
		return c.setOwners(ctx, g.key, o, all.solid)
	case len(all.solid) > 0 || len(o.OwnerReferences()) == 0:
		return nil
	case len(all.waiting) > 0:
		return c.collectForWaiting(ctx, g, o)
	}
	return c.remove(ctx, g.key, o, policyOf(o))
}

// policyOf is how an object wants its own dependents to be treated.
func policyOf(o object.Object) string {
	switch {
	case hasFinalizer(o, object.FinalizerOrphan):
		return Orphan
	case hasFinalizer(o, object.FinalizerForeground):
		return Foreground
	}
	return Background
}

// collectForWaiting deletes an object for which an owner waits; if it has dependents itself, in
// the foreground. If one of these is waiting, too, there may be a circle in which each waits for
// the next; then it lets its owners go.
func (c *Collector) collectForWaiting(ctx context.Context, g glance, o object.Object) error {
	some, waiting, err := c.dependents(g)
	if err != nil {
		return err
	}
	if !some {
		return c.remove(ctx, g.key, o, policyOf(o))
	}
	if waiting {
		owners := o.OwnerReferences()
		for i := range owners {
			owners[i].BlockOwnerDeletion = nil
		}
		if err := c.setOwners(ctx, g.key, o, owners); err != nil {
			return err
		}
	}
	return c.remove(ctx, g.key, o, Foreground)
}

// dependents says whether an object has any, and whether one of them waits for its own.
func (c *Collector) dependents(g glance) (some, waiting bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.node(g)
	if err != nil || n == nil {
		return false, false, err
	}
	for d := range n.dependents {
		some, waiting = true, waiting || d.waiting
	}
	return some, waiting, nil
}

// remove deletes an object if it is still the one that was looked at and, but in the
// foreground, nobody has adopted it meanwhile.
func (c *Collector) remove(ctx context.Context, key object.Key, o object.Object, policy string) error {
	uid, version := o.UID(), o.ResourceVersion()
	opts := DeleteOptions{Preconditions: &Preconditions{UID: &uid}, PropagationPolicy: &policy}
	if policy != Foreground {
		opts.Preconditions.ResourceVersion = &version
	}
	if err := c.cluster.Delete(ctx, key, opts); err != nil && !object.IsNotFound(err) {
		return fmt.Errorf("deleting %s: %w", key, err)
	}
	return nil
}
