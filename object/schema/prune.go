package schema

import (
	"slices"
)

// Prune removes, in place, the fields of an object that the schema doesn't know, at
// every nesting. Where x-kubernetes-preserve-unknown-fields is set, unknown fields
// stay with all that is in them, while known ones are pruned. The type and metadata
// of the object and of embedded resources stay as they are: see [Schema.Coerce].
// Doing it again changes nothing. A nil schema knows no field.
//
// With report it returns the paths of what it removed, sorted.
func (s *Schema) Prune(o map[string]any, report bool) (removed []string) {
	p := pruner{report: report}
	if report {
		p.route = make(route, 0, 8)
	}
	p.object(s, o, true)
	slices.Sort(p.removed)
	return p.removed
}

// pruneValue is Prune for a value of any kind within an object.
func (s *Schema) pruneValue(v any) {
	p := pruner{}
	p.value(s, v)
}

type pruner struct {
	report  bool
	route   route
	removed []string
}

func (p *pruner) enter(s step) {
	if p.report {
		p.route = append(p.route, s)
	}
}

func (p *pruner) leave() {
	if p.report {
		p.route.pop()
	}
}

func (p *pruner) value(s *Schema, v any) {
	switch v := v.(type) {
	case map[string]any:
		p.object(s, v, s != nil && s.EmbeddedResource)
	case []any:
		var items *Schema
		keep := false
		if s != nil {
			items, keep = s.Items, s.PreserveUnknownFields
		}
		for i, x := range v {
			switch x.(type) {
			case map[string]any, []any:
				p.enter(step{index: i})
				p.item(items, x, keep)
				p.leave()
			}
		}
	}
}

// item prunes an item of a list. In one that keeps what is unknown, items do so too.
func (p *pruner) item(s *Schema, v any, keep bool) {
	if !keep {
		p.value(s, v)
		return
	}
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		p.known(s, v, s.EmbeddedResource, true)
	case []any:
		for i, x := range v {
			p.enter(step{index: i})
			p.item(s.Items, x, true)
			p.leave()
		}
	}
}

func (p *pruner) object(s *Schema, m map[string]any, resource bool) {
	if s == nil {
		s = &Schema{}
	}
	p.known(s, m, resource, s.PreserveUnknownFields)
}

// known prunes what is in the known fields of an object, and removes the others
// unless they are kept.
func (p *pruner) known(s *Schema, m map[string]any, resource, keep bool) {
	for name, v := range m {
		if resource && isMetaField(name) {
			continue
		}
		sub := property(s.Properties, name)
		if sub == nil && s.AdditionalProperties == nil {
			if !keep {
				p.remove(m, name)
			}
			continue
		}
		if sub == nil {
			sub = s.AdditionalProperties.Schema
		}
		switch v.(type) {
		case map[string]any, []any:
			p.enter(step{name: name, index: -1})
			p.value(sub, v)
			p.leave()
		}
	}
}

func isMetaField(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

func (p *pruner) remove(m map[string]any, name string) {
	delete(m, name)
	if p.report && (len(p.route) > 0 || !isMetaField(name)) {
		p.removed = append(p.removed, child(p.route.dotted(), name))
	}
}
