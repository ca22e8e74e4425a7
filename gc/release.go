package gc

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// finishForeground lets an object go that waited for its dependents, when none is left
// that it has to wait for.
func (c *Collector) finishForeground(ctx context.Context, g glance, o object.Object) error {
	if !hasFinalizer(o, object.FinalizerForeground) {
		return nil
	}
	if blocked, err := c.isBlocked(g); err != nil || blocked {
		return err
	}
	if err := c.checkUnseen(ctx, g.key, g.uid); err != nil {
		return err
	}
	return c.dropFinalizer(ctx, g.key, o, object.FinalizerForeground)
}

// checkUnseen fails while there is a dependent that blocks the foreground deletion of an
// object and was not seen. Once it is, it is dealt with as any other.
func (c *Collector) checkUnseen(ctx context.Context, key object.Key, uid string) error {
	unordered, ok := c.cluster.(Unordered)
	if !ok {
		return nil
	}
	dependents, err := unordered.Dependents(ctx, key, uid)
	if err != nil {
		return err
	}
	for dependent, o := range dependents {
		for _, ref := range o.OwnerReferences() {
			if ref.UID == uid && blocksOwner(&ref) {
				return fmt.Errorf("%s waits for its dependent %s", key, dependent)
			}
		}
	}
	return nil
}

// isBlocked says whether anything blocks the foreground deletion of an object.
func (c *Collector) isBlocked(g glance) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.node(g)
	return n != nil && n.blockers > 0, err
}

// orphan takes the references to an object from its dependents, and then lets it go.
func (c *Collector) orphan(ctx context.Context, g glance, o object.Object) error {
	if !hasFinalizer(o, object.FinalizerOrphan) {
		return nil
	}
	dependents, err := c.dependentKeys(ctx, g)
	if err != nil {
		return err
	}
	if err := c.releaseAll(ctx, dependents, g.uid); err != nil {
		return err
	}
	return c.dropFinalizer(ctx, g.key, o, object.FinalizerOrphan)
}

func (c *Collector) dependentKeys(ctx context.Context, g glance) (keys []object.Key, err error) {
	if unordered, ok := c.cluster.(Unordered); ok {
		all, err := unordered.Dependents(ctx, g.key, g.uid)
		return slices.Collect(maps.Keys(all)), err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.node(g)
	if err != nil || n == nil {
		return nil, err
	}
	for d := range n.dependents {
		keys = append(keys, d.key())
	}
	return keys, nil
}

// releaseAll takes the references to one owner from many objects, many at once. It goes on
// after a failure and returns one.
func (c *Collector) releaseAll(ctx context.Context, keys []object.Key, owner string) error {
	var wg sync.WaitGroup
	work, failures := make(chan object.Key), make([]error, min(collectors, len(keys)))
	for i := range failures {
		wg.Go(func() {
			for key := range work {
				if err := c.safely(ctx, func() error { return c.release(ctx, key, owner) }); err != nil {
					failures[i] = err
				}
			}
		})
	}
	for _, key := range keys {
		work <- key
	}
	close(work)
	wg.Wait()
	return cmp.Or(failures...)
}

// release takes the references to one owner from an object.
func (c *Collector) release(ctx context.Context, key object.Key, owner string) error {
	o, err := c.cluster.Get(ctx, key)
	if object.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the dependent %s: %w", key, err)
	}
	before := o.OwnerReferences()
	left := slices.DeleteFunc(slices.Clone(before), func(ref object.OwnerReference) bool { return ref.UID == owner })
	if len(left) == len(before) {
		return nil
	}
	return c.setOwners(ctx, key, o, left)
}

// setOwners makes the references of an object these, if it is still what was read.
func (c *Collector) setOwners(ctx context.Context, key object.Key, o object.Object, owners []object.OwnerReference) error {
	next := object.Object{}
	next.SetOwnerReferences(owners)
	return c.patch(ctx, key, o, "ownerReferences", next.Metadata()["ownerReferences"])
}

func (c *Collector) dropFinalizer(ctx context.Context, key object.Key, o object.Object, name string) error {
	left := object.Object{}
	left.SetFinalizers(slices.DeleteFunc(o.Finalizers(), func(other string) bool { return other == name }))
	return c.patch(ctx, key, o, "finalizers", left.Metadata()["finalizers"])
}

// patch sets a field of the metadata of an object that is still what was read; nil takes
// it away.
func (c *Collector) patch(ctx context.Context, key object.Key, o object.Object, field string, value any) error {
	patch := object.AppendJSON(nil, map[string]any{"metadata": map[string]any{
		"uid": o.UID(), "resourceVersion": o.ResourceVersion(), field: value,
	}})
	err := c.cluster.Patch(ctx, key, patch)
	if err != nil && !object.IsNotFound(err) {
		return fmt.Errorf("setting %s of %s: %w", field, key, err)
	}
	return nil
}
