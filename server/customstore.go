package server

import (
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// load brings stored objects into a version: each is read as its own version reads
// it today, and converted then.
func (c *customResource) load(v *definition.Version, stored []*object.Encoded) ([]*object.Encoded, error) {
	documents := make([]object.Object, len(stored))
	byVersion := map[*definition.Version][]int{}
	for i, e := range stored {
		from := c.versionOfForm(e)
		o, err := e.Object(c.typeMeta(from))
		if err != nil {
			return nil, err
		}
		o.SetResourceVersion("") // the encoded form keeps it beside the document
		from.Read(o)
		documents[i] = o
		byVersion[from] = append(byVersion[from], i)
	}
	for from, places := range byVersion {
		if err := c.convertSome(documents, places, from, v); err != nil {
			return nil, errPlain(err)
		}
	}
	loaded := make([]*object.Encoded, len(stored))
	for i, o := range documents {
		e, err := object.Encode(o, map[string]string{FormField: c.form(v)})
		if err != nil {
			return nil, err
		}
		e.Version = stored[i].Version
		loaded[i] = &e
	}
	return loaded, nil
}

// convertSome converts the documents at some places from one version to another.
func (c *customResource) convertSome(documents []object.Object, places []int, from, to *definition.Version) error {
	some := make([]object.Object, len(places))
	for i, at := range places {
		some[i] = documents[at]
	}
	converted, err := c.convert(some, from, to)
	if err != nil {
		return err
	}
	for i, at := range places {
		documents[at] = converted[i]
	}
	return nil
}

// convert gives documents of one version in another one. They belong to the callee.
func (c *customResource) convert(documents []object.Object, from, to *definition.Version) ([]object.Object, error) {
	if from == to {
		return documents, nil
	}
	if c.webhook != nil {
		var err error
		if documents, err = c.webhook.convert(c.ctx, c.Definition, to.Name, documents); err != nil {
			return nil, err
		}
	}
	for _, o := range documents {
		o.SetType(c.typeMeta(to))
		if !c.PreserveUnknownFields {
			to.Schema.Prune(o, false)
		}
		if _, err := to.Schema.Coerce(map[string]any(o), "", false); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

func (c *customResource) convertOne(o object.Object, from, to *definition.Version) (object.Object, error) {
	converted, err := c.convert([]object.Object{o}, from, to)
	if err != nil {
		return nil, err
	}
	return converted[0], nil
}

// store gives the form in which a document of a version is kept: that of the version
// for storage, complete as it is read today.
func (c *customResource) store(v *definition.Version, o object.Object) (object.Encoded, error) {
	fields := map[string]string{}
	index(fields, v, o)
	version := o.ResourceVersion()
	if v != c.storage {
		o = o.DeepCopy()
		o.SetResourceVersion("")
	}
	o, err := c.convertOne(o, v, c.storage)
	if err != nil {
		return object.Encoded{}, errPlain(err)
	}
	c.storage.Read(o)
	index(fields, c.storage, o)
	if err := c.indexOthers(fields, v, o); err != nil {
		return object.Encoded{}, errPlain(err)
	}
	o.SetResourceVersion(version)
	fields[FormField] = c.form(c.storage)
	return object.Encode(o, fields)
}

// indexOthers adds the selectable fields of the versions that are neither the one
// written nor the one stored.
func (c *customResource) indexOthers(fields map[string]string, written *definition.Version, o object.Object) error {
	for _, v := range c.Versions {
		if !v.Served || v == written || v == c.storage || len(v.SelectableFields) == 0 {
			continue
		}
		converted, err := c.convertOne(o.DeepCopy(), c.storage, v)
		if err != nil {
			return err
		}
		index(fields, v, converted)
	}
	return nil
}

func index(fields map[string]string, v *definition.Version, o object.Object) {
	for _, f := range v.SelectableFields {
		fields[f.Name] = f.Value(o)
	}
}

func (c *customResource) typeMeta(v *definition.Version) object.TypeMeta {
	gv := object.GroupVersion{Group: c.Group, Version: v.Name}
	return object.TypeMeta{Kind: c.Accepted.Kind, APIVersion: gv.String()}
}
