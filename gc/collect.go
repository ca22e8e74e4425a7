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
	key, err := c.resolve(claimOf(of.Namespace, &ref))
	if errors.Is(err, errNoOwnerThere) {
		return nil, errors.Join(err, c.reportNamespace(ctx, of, o, ref))
	}
	if err != nil {
		return nil, err
	}
	if c.isGone(ref.UID) {
		return nil, nil
	}
	owner, err := c.cluster.Get(ctx, key)
	switch {
	case object.IsNotFound(err), err == nil && owner.UID() != ref.UID:
		return nil, c.reportElsewhere(ctx, of, o, ref)
	case err != nil:
		return nil, fmt.Errorf("reading the owner %s of %s: %w", key, of, err)
	}
	return owner, nil
}

// isGone says whether an object was there once, or was looked for, and is gone.
func (c *Collector) isGone(uid string) bool {
	g, ok := c.glance(uid)
	return ok && g.state == gone
}

// reportElsewhere tells of an owner that is not where it is said to be if it is in another
// namespace.
func (c *Collector) reportElsewhere(ctx context.Context, of object.Key, o object.Object, ref object.OwnerReference) error {
	g, ok := c.glance(ref.UID)
	if ok && g.state == unseen {
		if err := c.verify(ctx, ref.UID, g.claim); err != nil {
			return err
		}
		g, ok = c.glance(ref.UID)
	}
	if !ok || g.state != there || g.key.Namespace == "" || g.key.Namespace == of.Namespace {
		return nil
	}
	return c.reportNamespace(ctx, of, o, ref)
}

func (c *Collector) reportNamespace(ctx context.Context, key object.Key, o object.Object, ref object.OwnerReference) error {
	message := fmt.Sprintf("ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist in namespace %q",
		ref.APIVersion, ref.Kind, key.Namespace, ref.Name, ref.UID, key.Namespace)
	return c.cluster.Report(ctx, o, "OwnerRefInvalidNamespace", message)
}

// collect deletes an object of which no owner lives, and takes the references to absent
// owners from others.
func (c *Collector) collect(ctx context.Context, key object.Key, o object.Object) error {
	all, err := c.classify(ctx, key, o)
	switch {
	case errors.Is(err, errNoOwnerThere):
		return nil // reported; what is meant nobody knows
	case err != nil:
		return err
	case len(all.solid) > 0 && len(all.dangling)+len(all.waiting) > 0:
		return c.setOwners(ctx, key, o, all.solid)
	case len(all.solid) > 0 || len(o.OwnerReferences()) == 0:
		return nil
	case len(all.waiting) > 0 && c.hasDependents(o.UID()):
		return c.collectInForeground(ctx, key, o)
	}
	return c.remove(ctx, key, o, policyOf(o))
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

func (c *Collector) hasDependents(uid string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.graph.nodes[uid]
	return n != nil && len(n.dependents) > 0
}

// collectInForeground deletes an object for which an owner waits, and which has
// dependents itself. If one of these is waiting, too, there may be a circle in which each waits for
// the next; then it lets its owners go.
func (c *Collector) collectInForeground(ctx context.Context, key object.Key, o object.Object) error {
	if c.hasWaitingDependent(o.UID()) {
		owners := o.OwnerReferences()
		for i := range owners {
			owners[i].BlockOwnerDeletion = nil
		}
		if err := c.setOwners(ctx, key, o, owners); err != nil {
			return err
		}
	}
	return c.remove(ctx, key, o, Foreground)
}

func (c *Collector) hasWaitingDependent(uid string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.graph.nodes[uid]
	if n == nil {
		return false
	}
	for d := range n.dependents {
		if d.waiting {
			return true
		}
	}
	return false
}

// remove deletes an object if it is still the one that was looked at.
func (c *Collector) remove(ctx context.Context, key object.Key, o object.Object, policy string) error {
	uid := o.UID()
	opts := DeleteOptions{Preconditions: Preconditions{UID: &uid}, PropagationPolicy: &policy}
	if hasOwners := len(o.OwnerReferences()) > 0; hasOwners && policy != Foreground {
		version := o.ResourceVersion() // nobody has adopted it meanwhile
		opts.Preconditions.ResourceVersion = &version
	}
	err := c.cluster.Delete(ctx, key, opts)
	if object.IsNotFound(err) {
		c.lost(uid)
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting %s: %w", key, err)
	}
	return nil
}
