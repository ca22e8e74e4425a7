package server

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// customResource is a definition of custom resources at work.
type customResource struct {
	*parsedDefinition
	storage *definition.Version
	webhook *conversionWebhook // nil for none
	ctx     context.Context    // of the server, for conversions
}

// newCustomResource prepares a definition whose names are accepted.
func newCustomResource(ctx context.Context, d *parsedDefinition, service callout.Resolver) (*customResource, error) {
	c := &customResource{parsedDefinition: d, storage: d.StorageVersion(), ctx: ctx}
	if d.Conversion.Webhook == nil {
		return c, nil
	}
	var err error
	c.webhook, err = newConversionWebhook(d.Conversion.Webhook, service)
	return c, err
}

// close lets go of what the resource holds. Requests under way may go on.
func (c *customResource) close() {
	if c.webhook != nil {
		c.webhook.close()
	}
}

// resource describes what is served: closed says why nothing new may be created.
func (c *customResource) resource(closed string) Resource {
	r := Resource{
		Group:  c.Group,
		Plural: c.Accepted.Plural, Singular: c.Accepted.Singular,
		Kind: c.Accepted.Kind, ListKind: c.Accepted.ListKind,
		ShortNames: c.Accepted.ShortNames, Categories: c.Accepted.Categories,
		Namespaced:      c.Namespaced,
		VersionedUpdate: true,
		Closed:          closed,
	}
	for _, v := range c.Versions {
		if v.Served {
			r.Versions = append(r.Versions, c.version(v))
		} else {
			r.Unserved = append(r.Unserved, c.version(v))
		}
	}
	slices.SortFunc(r.Versions, func(a, b Version) int { return definition.CompareVersions(b.Name, a.Name) })
	return r
}

// onlyStatus is what a write of the status of a custom resource changes.
var onlyStatus = apply.Except("metadata", "spec")

func (c *customResource) version(v *definition.Version) Version {
	served := Version{
		Name:    v.Name,
		Warning: v.DeprecationWarning,
		Schema:  v.Schema,

		mergeType: c.mergeTypes[v.Name],
		Documents: &Documents{
			Decode: v.Decode, Complete: v.Complete,
			Forms: c.forms(v),
			Load:  func(stored []*object.Encoded) ([]*object.Encoded, error) { return c.load(v, stored) },
			Convert: func(o object.Object, version string) (object.Object, error) {
				return c.convertOne(o, v, c.Version(version))
			},
			Store: func(o object.Object) (object.Encoded, error) { return c.store(v, o) },
		},
		Rules: &Rules{Prepare: c.prepare(v), Validate: v.Validate, Warn: v.Warnings},
		// Not nil: the version has no others.
		Subresources: []Subresource{},
		Fields:       map[string]func(object.Object) string{},
	}
	for _, column := range v.Columns {
		served.Columns = append(served.Columns, Column{
			Name: column.Name, Type: column.Type, Format: column.Format,
			Description: column.Description, Priority: column.Priority, Value: column.Value, SeesOwners: column.SeesOwners(),
		})
	}
	for _, f := range v.SelectableFields {
		served.Fields[f.Name] = f.Value
	}
	verbs := []string{"get", "patch", "update"}
	if v.Status {
		served.Subresources = append(served.Subresources, Subresource{
			Name: "status", Verbs: verbs, Rules: Rules{
				Prepare: v.PrepareStatus, Validate: v.ValidateStatus, Warn: v.StatusWarnings,
				Changes: onlyStatus,
			},
		})
	}
	if v.Scale != nil {
		served.Subresources = append(served.Subresources, Subresource{
			Name: "scale", Verbs: verbs, View: scaleView(v.Scale), Rules: *served.Rules,
		})
	}
	return served
}

// forms are the marks of stored documents that need no work to be served in the
// version: those of its own form and, where conversion changes the apiVersion alone,
// those of all that have the same shape.
func (c *customResource) forms(v *definition.Version) []string {
	forms := []string{c.form(v)}
	for _, other := range c.Versions {
		if c.webhook == nil && other != v && c.shapes[other.Name] == c.shapes[v.Name] {
			forms = append(forms, c.form(other))
		}
	}
	return forms
}

// form is the mark of documents of a version.
func (c *customResource) form(v *definition.Version) string { return v.Name + "/" + c.shapes[v.Name] }

// versionOfForm gives the version that a stored document is of.
func (c *customResource) versionOfForm(e *object.Encoded) *definition.Version {
	form, _ := e.Field(FormField)
	name, _, _ := strings.Cut(string(form), "/")
	if v := c.Version(name); v != nil {
		return v
	}
	return c.storage
}

// prepare is what happens to objects of a client before they are validated: the
// status is kept, and the generation counts every change but those of metadata.
func (c *customResource) prepare(v *definition.Version) func(next, old object.Object) {
	return func(next, old object.Object) {
		v.Prepare(next, old)
		switch {
		case old == nil:
			next.SetGeneration(1)
		case !withoutMetadata(next).Equal(withoutMetadata(old)):
			next.SetGeneration(old.Generation() + 1)
		}
	}
}

func withoutMetadata(o object.Object) object.Object {
	o = maps.Clone(o)
	delete(o, "metadata")
	return o
}
