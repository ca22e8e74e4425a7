package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// expectation is what a client takes an object for. Empty fields expect nothing.
type expectation struct{ uid, version string }

func (e expectation) namesVersion() bool { return e.version != "" && e.version != "0" }

// replace gives the change that a PUT makes. The uid and the version in the document
// are what the client takes the live object for.
func (c *call) replace(o object.Object) (change, error) {
	if err := c.matchPath(o); err != nil {
		return change{}, err
	}
	c.dropDuplicateOwners(o, false)
	expect := expectation{uid: o.UID(), version: o.ResourceVersion()}
	// The change may take the document itself if there can be no second attempt.
	own := expect.namesVersion() && !c.CreateOnUpdate
	return change{
		expect:  expect,
		settled: c.view() != nil,
		apply: func(ctx context.Context, live object.Object) (object.Object, error) {
			if own {
				return c.changeBy(ctx, o, live)
			}
			return c.changeBy(ctx, o.DeepCopy(), live)
		},
	}, nil
}

// checkExpected refuses to write to another object than the client means.
func (c *call) checkExpected(e expectation, live *object.Encoded) error {
	if e.uid != "" {
		uid := rawText(rawMember(fromMetadata(live), "uid"))
		if err := c.checkUID(e, string(uid)); err != nil {
			return err
		}
	}
	if !e.namesVersion() {
		return nil
	}
	return c.checkVersionText(e.version, live)
}

// checkUID compares the uid that the client expects with that of the object, which is
// empty where there is none.
func (c *call) checkUID(e expectation, uid string) error {
	if e.uid == "" || e.uid == uid {
		return nil
	}
	return c.errStore("Precondition failed: UID in precondition: %s, UID in object meta: %s", e.uid, uid)
}

// errStore is a conflict in the words of the real server's store.
func (c *call) errStore(format string, args ...any) error {
	return object.Conflict(c.groupResource(), c.name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %s",
		c.registryKey(), fmt.Sprintf(format, args...)))
}

// registryKey is where the real server would keep the object.
func (c *call) registryKey() string {
	parts := []string{"/registry", c.Plural, c.namespace, c.name}
	if c.version.Codec == nil {
		parts = slices.Insert(parts, 1, c.Group)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "/")
}

// checkVersion compares the version that the change names with the live one. If it
// names none, the live one is meant.
func (c *call) checkVersion(next object.Object, live *object.Encoded) error {
	text := next.ResourceVersion()
	if text == "" || text == "0" {
		if c.VersionedUpdate {
			// The real server names the resource where the kind belongs.
			gk := object.GroupKind{Group: c.Group, Kind: c.Plural}
			return object.Invalid(gk, c.name, object.FieldErrors{
				object.InvalidField("metadata.resourceVersion", 0, "must be specified for an update")})
		}
		next.SetResourceVersion(live.Version.String())
		return nil
	}
	return c.checkVersionText(text, live)
}

func (c *call) checkVersionText(text string, live *object.Encoded) error {
	version, err := parseVersion(text)
	if err != nil {
		return err
	}
	if version != live.Version {
		return c.errModified()
	}
	return nil
}

// parseVersion reads the version in a document; without one it is 0.
func parseVersion(text string) (object.ResourceVersion, error) {
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errPlain(err)
	}
	return object.ResourceVersion(version), nil
}

// errPlain is a 500 without reason, as the real server answers what it didn't foresee.
func errPlain(err error) error {
	e := object.InternalError(err)
	e.Status.Message, e.Status.Reason, e.Status.Details = err.Error(), "", nil
	return e
}

// errOutdated is why a write fails that names another version than the live one.
var errOutdated = errors.New("the object has been modified; please apply your changes to the latest version and try again")

func (c *call) errModified() error { return object.Conflict(c.groupResource(), c.name, errOutdated) }

// matchPath refuses a document for another object than that of the path.
func (c *call) matchPath(o object.Object) error {
	if err := c.matchNamespace(o); err != nil {
		return err
	}
	return c.matchName(o)
}

func (c *call) matchName(o object.Object) error {
	switch o.Name() {
	case c.name:
		return nil
	case "":
		return object.BadRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", c.name)
	}
	return object.BadRequest("the name of the object (%s) does not match the name on the URL (%s)", o.Name(), c.name)
}
