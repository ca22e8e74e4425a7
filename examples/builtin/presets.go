package builtin

import (
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// presets are what a part of a document gets that says less. They are made once and
// change only the documents that they complete.
type presets struct {
	also   func(m map[string]any) // comes first, for what depends on more than one member
	values []preset
	parts  []part
}

// preset is what a member is if nothing is said of it: a text, a number or a flag,
// which documents may share.
type preset struct {
	name  string
	value any
}

// part is a member that is completed where it is: a map, or the maps of a list.
type part struct {
	name string
	*presets
}

// document completes a whole document.
func (p *presets) document(o object.Object) { p.complete(o) }

func (p *presets) complete(m map[string]any) {
	if p.also != nil {
		p.also(m)
	}
	for i := range p.values {
		setDefault(m, p.values[i].name, p.values[i].value)
	}
	for i := range p.parts {
		switch v := m[p.parts[i].name].(type) {
		case map[string]any:
			p.parts[i].complete(v)
		case []any:
			for _, element := range v {
				if m, ok := element.(map[string]any); ok {
					p.parts[i].complete(m)
				}
			}
		}
	}
}

// at are the presets of what is below a member.
func at(name string, p *presets) *presets { return &presets{parts: []part{{name, p}}} }

// valuesOf are presets of nothing but values, given as names and values in turn.
func valuesOf(pairs ...any) *presets {
	p := &presets{}
	for i := 0; i < len(pairs); i += 2 {
		p.values = append(p.values, preset{pairs[i].(string), pairs[i+1]})
	}
	return p
}

// setDefault sets a member that is missing or null. An empty text, where the type can
// tell it from none, stays.
func setDefault(m map[string]any, name string, value any) {
	if m[name] == nil {
		m[name] = value
	}
}

// mapsIn gives the maps among the elements of a list.
func mapsIn(list any) iter.Seq[map[string]any] {
	elements, _ := list.([]any)
	return func(yield func(map[string]any) bool) {
		for _, element := range elements {
			if m, ok := element.(map[string]any); ok && !yield(m) {
				return
			}
		}
	}
}
