package server

import (
	"context"
	"errors"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// nameAttempts is how often a generated name is made anew when it was taken.
const nameAttempts = 8

// post stores a new object of a client, whose fields it is said to own.
func (c *call) post(ctx context.Context, o object.Object) (*object.Encoded, error) {
	for _, mark := range [...]string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(o.Metadata(), mark)
	}
	defer c.audit(ctx, "create")
	c.track(nil, o)
	return c.create(ctx, o)
}

// create stores a new object, given in the version of the call, and returns it as
// stored. The object belongs to the callee.
func (c *call) create(ctx context.Context, o object.Object) (*object.Encoded, error) {
	if err := c.matchNamespace(o); err != nil {
		return nil, err
	}
	c.dropDuplicateOwners(o, false)
	if c.Closed != "" {
		return nil, object.Forbidden(c.groupResource(), o.Name(), errors.New(c.Closed))
	}
	if err := c.checkNamespace(ctx, o); err != nil {
		return nil, err
	}
	o, err := c.mutateNew(ctx, o)
	if err != nil {
		return nil, err
	}
	if o, err = c.toStored(o); err != nil {
		return nil, err
	}
	if o.Name() != "" || o.GenerateName() == "" {
		return c.settle(func() (*object.Encoded, error) { return c.createOnce(ctx, o) })
	}
	var stored *object.Encoded
	for range nameAttempts {
		stored, err = c.settle(func() (*object.Encoded, error) { return c.createOnce(ctx, o.DeepCopy()) })
		if !object.IsAlreadyExists(err) {
			break
		}
	}
	return stored, err
}

// mutateNew lets the mutators have a new object. One whose request names it keeps its name.
func (c *call) mutateNew(ctx context.Context, o object.Object) (_ object.Object, err error) {
	if c.attempt, err = c.reviewWrite(ctx, admission.Create); err != nil || c.attempt == nil {
		return o, err
	}
	if o, err = c.attempt.mutate(ctx, o, nil); err != nil {
		return nil, err
	}
	if c.name == "" {
		return o, c.matchNamespace(o)
	}
	c.dropVersion(o)
	return o, c.matchPath(o)
}

// createOnce is create with one name. Its steps are those of the API: what the
// server owns, what the kind wants, what is wrong with it, and the store.
func (c *call) createOnce(ctx context.Context, o object.Object) (*object.Encoded, error) {
	version, given := versionOfNew(o), c.copyForTrace(o)
	storage.PrepareCreate(o, time.Now())
	if c.Generation {
		storage.PrepareGeneration(o, nil)
	}
	if c.Prepare != nil {
		c.Prepare(o, nil)
	}
	c.trace.Compare("prepare", given, o)
	if errs := c.validateCreate(o); len(errs) > 0 {
		return nil, c.trace.Refuse("validate", object.Invalid(c.groupKind(), o.Name(), errs))
	}
	c.warnOf(o, nil)
	if err := c.attempt.validate(ctx, o, nil); err != nil {
		return nil, err
	}
	next, err := c.encode(o)
	if err != nil {
		return nil, err
	}
	c.name = o.Name()
	if c.opts.dryRun() {
		next.Version = version
		return &next, c.checkAbsent(ctx, o)
	}
	if version != 0 {
		return nil, errPlain(errors.New("resourceVersion should not be set on objects to be created"))
	}
	ctx, done, err := c.beginCreate(ctx, o)
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, leave, err := c.enterNamespace(ctx, o)
	if err != nil {
		return nil, err
	}
	defer leave()
	stored, err := c.config.Store.Put(ctx, c.key(), nil, next, c.TTL)
	if object.IsAlreadyExists(err) {
		live, _ := c.config.Store.Get(ctx, c.key())
		return nil, c.errTaken(o, live)
	}
	if err != nil {
		return nil, err
	}
	c.wrote("create", stored.Version)
	return stored, nil
}

// versionOfNew is the resource version that a client gives to a new object. It is the
// store that refuses it, so that a dry run takes it, and what is no version counts as none.
func versionOfNew(o object.Object) object.ResourceVersion {
	version, err := object.ParseResourceVersion(o.ResourceVersion())
	if err != nil {
		return 0
	}
	return version
}

func (c *call) validateCreate(o object.Object) object.FieldErrors {
	errs := object.ValidateMeta(o, c.Namespaced, c.ValidateName)
	if c.Validate != nil {
		errs = append(errs, c.Validate(o, nil)...)
	}
	return errs
}

func (c *call) checkAbsent(ctx context.Context, o object.Object) error {
	live, err := c.config.Store.Get(ctx, c.key())
	switch {
	case object.IsNotFound(err):
		return nil
	case err == nil:
		return c.errTaken(o, live)
	}
	return err
}

// errTaken words the failure to create an object whose name is taken, by live unless
// that is gone again.
func (c *call) errTaken(o object.Object, live *object.Encoded) error {
	err := object.AlreadyExists(c.groupResource(), c.name)
	if o.GenerateName() != "" {
		err = object.GenerateNameConflict(c.groupResource(), c.name, 1)
	}
	if live != nil && live.Deleting() {
		err.Status.Message = "object is being deleted: " + err.Status.Message
	}
	return err
}

// matchNamespace gives the object the namespace of the request, if it has none.
func (c *call) matchNamespace(o object.Object) error {
	switch o.Namespace() {
	case c.namespace:
	case "":
		o.EnsureMetadata()
		o.SetNamespace(c.namespace)
	default:
		if c.Namespaced {
			return object.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
		}
		o.SetNamespace("")
	}
	return nil
}
