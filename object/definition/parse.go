package definition

import (
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Parse makes a definition of a document that [Decode] has formed and in which
// [Shared.Validate] finds nothing wrong. The document is not kept. Errors say that
// the document is no definition at all.
func (s *Shared) Parse(o object.Object) (*Definition, error) {
	doc, err := read(o, &s.pool)
	if err != nil {
		return nil, err
	}
	if doc.group == "" || doc.names.Plural == "" || len(doc.versions) == 0 {
		return nil, fmt.Errorf("reading %s as a definition: it names no group, no plural or no version", o)
	}
	d := &Definition{
		Name: strings.Clone(o.Name()), UID: strings.Clone(o.UID()), Group: strings.Clone(doc.group),
		Names: doc.names.clone(), Accepted: doc.accepted.clone(),
		Namespaced:            doc.scope == "Namespaced",
		PreserveUnknownFields: doc.preserve,
		Conversion:            doc.conversion.parse(),
		StoredVersions:        cloneTexts(doc.storedVersions),
	}
	for i := range doc.versions {
		d.Versions = append(d.Versions, d.version(s, &doc.versions[i], doc.versions))
	}
	return d, nil
}

func (d *Definition) version(s *Shared, v *version, all []version) *Version {
	parsed := &Version{
		Name:       strings.Clone(v.name),
		Namespaced: d.Namespaced,
		Served:     v.served, Storage: v.storage, Deprecated: v.deprecated,
		preserve: d.PreserveUnknownFields,
	}
	parsed.Kind = object.GroupVersionKind{Group: d.Group, Version: parsed.Name, Kind: d.Names.Kind}
	switch {
	case !v.deprecated:
	case v.warning != nil:
		parsed.DeprecationWarning = strings.Clone(*v.warning)
	default:
		parsed.DeprecationWarning = deprecationWarning(parsed.Kind, all)
	}
	if v.schema != nil {
		parsed.Schema = v.schema.WithPrunedDefaults()
		parsed.rules = s.rulesOf(parsed.Schema)
	}
	if sub := v.subresources; sub != nil {
		parsed.Status = sub.status
		parsed.Scale = sub.scale.parse()
	}
	parsed.Columns = parseColumns(v.columns)
	for _, path := range v.selectable {
		parsed.SelectableFields = append(parsed.SelectableFields, selectableField(path))
	}
	return parsed
}

func (c *conversion) parse() Conversion {
	if c == nil {
		return Conversion{Strategy: "None"}
	}
	parsed := Conversion{Strategy: c.strategy}
	if c.strategy != "Webhook" || c.client == nil {
		return parsed
	}
	w := &Webhook{CABundle: c.client.caBundle, ReviewVersions: c.reviews}
	if strings.TrimSpace(string(w.CABundle)) == "" {
		w.CABundle = nil
	}
	if c.client.url != nil {
		w.URL = *c.client.url
	}
	if s := c.client.service; s != nil {
		w.Service = &Service{Namespace: s.namespace, Name: s.name, Port: 443}
		if s.path != nil {
			w.Service.Path = *s.path
		}
		if s.port != nil {
			w.Service.Port = int32(*s.port)
		}
	}
	parsed.Webhook = w
	return parsed
}

func (s *scale) parse() *Scale {
	if s == nil {
		return nil
	}
	parsed := &Scale{SpecReplicas: s.spec, StatusReplicas: s.status}
	if s.selector != nil {
		parsed.LabelSelector = *s.selector
	}
	return parsed
}
