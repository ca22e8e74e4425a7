package server

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// change is what a write wants of an object.
type change struct {
	// expect is what the client takes the live object for. It is looked at before
	// any work is done, since most writes that lose a race lose it here.
	expect expectation

	// apply makes the next state from the live one, which it must not modify, nor give
	// as it is; both are in the version of the call. For an object that is still to be
	// created, live is nil.
	apply func(ctx context.Context, live object.Object) (object.Object, error)

	creates bool // the object, if there is none
	patches bool // rather than replaces
	settled bool // the owners of fields: apply has seen to them
}

// errRaced says that another write came in between; the next attempt sees it.
var errRaced = errors.New("the object changed in the meantime")

// update is the one way in which an existing object changes: read, change, check,
// write, and start again if another write came in between. A change that names a
// resource version fails at the second attempt by itself. No transaction is held,
// so a change may take its time.
func (c *call) update(ctx context.Context, change change) (stored *object.Encoded, created bool, err error) {
	writer := c.turns.take(ctx, c.key())
	defer writer.leave()
	defer c.audit(ctx, "update")
	stored, created, err = c.tryUpdate(ctx, change)
	writer.end(ctx, err)
	return stored, created, err
}

func (c *call) tryUpdate(ctx context.Context, change change) (stored *object.Encoded, created bool, err error) {
	for {
		live, err := c.live(ctx)
		created = false
		switch {
		case err == nil:
			stored, err = c.updateOnce(ctx, live, change)
		case object.IsNotFound(err) && (c.CreateOnUpdate || change.creates) && c.sub == nil:
			created = true
			stored, err = c.createByUpdate(ctx, change)
		default:
			return nil, false, err
		}
		if !errors.Is(err, errRaced) {
			return stored, created, err
		}
		if ctx.Err() != nil {
			return nil, false, c.errModified()
		}
	}
}

func (c *call) updateOnce(ctx context.Context, live *object.Encoded, change change) (_ *object.Encoded, err error) {
	if err := c.checkExpected(change.expect, live); err != nil {
		return nil, err
	}
	if c.attempt, err = c.reviewWrite(ctx, admission.Update); err != nil {
		return nil, err
	}
	return c.settle(func() (*object.Encoded, error) { return c.changeOnce(ctx, live, change) })
}

// changeOnce is updateOnce under review.
func (c *call) changeOnce(ctx context.Context, live *object.Encoded, change change) (*object.Encoded, error) {
	next, old, err := c.changed(ctx, live, change)
	if err != nil {
		return nil, err
	}
	if err := c.checkVersion(next, live); err != nil {
		return nil, err
	}
	given := c.copyForTrace(next)
	c.prepareUpdate(next, old)
	c.trace.Compare("prepare", given, next)
	keepTimes(next, old)
	if errs := c.validateUpdate(next, old); len(errs) > 0 {
		return nil, c.trace.Refuse("validate", object.Invalid(c.groupKind(), next.Name(), errs))
	}
	c.warnOf(next, old)
	if err := c.attempt.validate(ctx, next, old); err != nil {
		return nil, err
	}
	encoded, err := c.encode(next)
	if err != nil {
		return nil, err
	}
	encoded.Version = live.Version
	switch {
	case c.removable(next):
		return c.removeFinalized(ctx, live, &encoded)
	case bytes.Equal(encoded.Body, live.Body), c.opts.dryRun():
		return &encoded, nil
	}
	return c.put(ctx, "update", live, encoded)
}

// changed applies the change and gives the next and the old state in the stored form.
func (c *call) changed(ctx context.Context, live *object.Encoded, change change) (next, old object.Object, err error) {
	seen, err := c.fromStored(live)
	if err != nil {
		return nil, nil, err
	}
	if old = seen; !c.stored {
		if old, err = c.ruled(live); err != nil {
			return nil, nil, err
		}
	}
	if next, err = c.next(ctx, seen, change); err != nil {
		return nil, nil, err
	}
	next, err = c.toStored(next)
	return next, old, err
}

// next gives the next state of an object with the owners of its fields. One that is to be
// created is mutated later.
func (c *call) next(ctx context.Context, live object.Object, change change) (object.Object, error) {
	next, err := change.apply(ctx, live)
	if err != nil {
		return nil, err
	}
	if live != nil {
		c.trace.Compare("change", live, next)
	}
	if err := c.matchPath(next); err != nil {
		return nil, err
	}
	if !change.settled {
		c.track(live, next)
	}
	c.dropDuplicateOwners(next, change.patches)
	if live == nil || c.attempt == nil || c.view() != nil {
		return next, nil
	}
	if next, err = c.attempt.mutate(ctx, next, live); err != nil {
		return nil, err
	}
	return next, c.matchPath(next)
}

// put writes and tells a lost race from other failures.
func (c *call) put(ctx context.Context, verb string, live *object.Encoded, next object.Encoded) (*object.Encoded, error) {
	stored, err := c.config.Store.Put(ctx, c.key(), live, next, c.TTL)
	if object.IsConflict(err) {
		return nil, errRaced
	}
	if err != nil {
		return nil, err
	}
	c.wrote(verb, stored.Version)
	return stored, nil
}

// createByUpdate creates the object that a PUT or a configuration names. A version that it
// gives does not count, but must be one.
func (c *call) createByUpdate(ctx context.Context, change change) (*object.Encoded, error) {
	if err := c.checkUID(change.expect, ""); err != nil {
		return nil, err
	}
	o, err := c.next(ctx, nil, change)
	if err != nil {
		return nil, err
	}
	if _, err := parseVersion(o.ResourceVersion()); err != nil {
		return nil, err
	}
	if c.mayCreate != nil {
		if err := c.mayCreate(ctx); err != nil {
			return nil, err
		}
	}
	c.dropVersion(o)
	stored, err := c.create(ctx, o)
	if object.IsAlreadyExists(err) && c.exists(ctx) { // which a webhook may say, too
		return nil, errRaced
	}
	return stored, err
}

// dropVersion takes the version from an object that is to be created under the name in
// the path. A dry run shows it.
func (c *call) dropVersion(o object.Object) {
	if !c.opts.dryRun() {
		o.SetResourceVersion("")
	}
}

func (c *call) exists(ctx context.Context) bool {
	_, err := c.config.Store.Get(ctx, c.key())
	return err == nil
}

// prepareUpdate keeps what no client may change, and lets the kind do the rest.
func (c *call) prepareUpdate(next, old object.Object) {
	next.SetGeneration(old.Generation())
	if prepare := c.rules().Prepare; prepare != nil {
		prepare(next, old)
	}
	storage.PrepareUpdate(next, old)
	if c.Generation {
		storage.PrepareGeneration(next, old)
	}
}

func (c *call) validateUpdate(next, old object.Object) object.FieldErrors {
	errs := object.ValidateMeta(next, c.Namespaced, object.ValidatePathSegmentName)
	errs = append(errs, object.ValidateMetaUpdate(next, old)...)
	if validate := c.rules().Validate; validate != nil {
		errs = append(errs, validate(next, old)...)
	}
	return withoutRepetitions(errs)
}

// withoutRepetitions drops what was said of the metadata before: the rules of metadata,
// of its changes and of the kind overlap.
func withoutRepetitions(errs object.FieldErrors) (kept object.FieldErrors) {
	if len(errs) < 2 {
		return errs
	}
	said := make(map[string]bool, len(errs))
	for _, e := range errs {
		text := e.Error()
		if said[text] && strings.HasPrefix(e.Field, "metadata.") {
			continue
		}
		said[text] = true
		kept = append(kept, e)
	}
	return kept
}

// live reads the object of the call. NotFound names the resource of the call,
// which may show the collection of another one.
func (c *call) live(ctx context.Context) (*object.Encoded, error) {
	e, err := c.config.Store.Get(ctx, c.key())
	if object.IsNotFound(err) {
		return nil, object.NotFound(c.groupResource(), c.name)
	}
	return e, err
}

// removable says whether an object is being deleted and nothing keeps it, as after an update
// that takes away the last thing that did.
func (c *call) removable(next object.Object) bool {
	return gc.Removable(next) && (c.Held == nil || !c.Held(next))
}

// removeFinalized removes the object and returns the state that the update asked
// for, with the version it had: the client gets what it wrote.
func (c *call) removeFinalized(ctx context.Context, live, next *object.Encoded) (*object.Encoded, error) {
	if c.opts.dryRun() {
		return next, nil
	}
	removed, err := c.config.Store.Remove(ctx, c.key(), live)
	if object.IsConflict(err) {
		return nil, errRaced
	}
	if err == nil {
		c.wrote("update", removed.Version)
	}
	return next, err
}
