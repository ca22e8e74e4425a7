package schema

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// pair is a value together with the old one that it replaces. A nil pair stands for
// a value that replaces none.
type pair struct {
	value, old any
	schema     *Schema
	byKey      map[string]any // the items of the old list, if it is of type map
	compared   bool
	same       bool
}

// field gives the pair of a field's values. The type of the whole object is not
// compared, since old and new are converted to the same one.
func (p *pair) field(v *validator, name string) *pair {
	if p == nil || len(v.route) == 1 && (name == "kind" || name == "apiVersion") {
		return nil
	}
	return p.child(name)
}

func (p *pair) child(name string) *pair {
	value, ok := at(p.value, name)
	old, okOld := at(p.old, name)
	s := p.schema.Field(name)
	if !ok || !okOld || s == nil {
		return nil
	}
	return &pair{value: value, old: old, schema: s}
}

func at(v any, name string) (any, bool) {
	m, _ := v.(map[string]any)
	x, ok := m[name]
	return x, ok
}

// item gives the pair of an item of a list of type map.
func (p *pair) item(i int) *pair {
	if p == nil || p.schema.ListType != "map" || p.schema.Items == nil {
		return nil
	}
	list, _ := p.value.([]any)
	old := p.oldItem(list[i])
	if old == nil {
		return nil
	}
	return &pair{value: list[i], old: old, schema: p.schema.Items}
}

// oldItem finds the first item of the old list with the same keys.
func (p *pair) oldItem(item any) any {
	if p.schema.Type != "array" || len(p.schema.ListMapKeys) == 0 {
		return nil
	}
	if p.byKey == nil {
		p.byKey = map[string]any{}
		list, _ := p.old.([]any)
		for _, x := range list {
			key, ok := keyOf(x, p.schema.ListMapKeys)
			if _, taken := p.byKey[key]; ok && !taken {
				p.byKey[key] = x
			}
		}
	}
	key, ok := keyOf(item, p.schema.ListMapKeys)
	if !ok {
		return nil
	}
	return p.byKey[key]
}

// keyOf gives a text for the keys of an item; ok is false if any of them is missing
// or no scalar.
func keyOf(item any, keys []string) (key string, ok bool) {
	var text []byte
	for _, name := range keys {
		x, ok := at(item, name)
		if !ok {
			return "", false
		}
		switch x.(type) {
		case float64:
			text = append(text, 'f')
		case bool, int64, string:
		default:
			return "", false
		}
		text = object.AppendJSON(append(text, ' '), x)
	}
	return string(text), true
}

// unchanged says whether the values are the same, as the API compares them: items of
// a list of type map may have changed places, and an object that has fields of which
// the schema knows nothing is never the same.
func (p *pair) unchanged() bool {
	if p == nil {
		return false
	}
	if !p.compared {
		p.compared, p.same = true, p.compare()
	}
	return p.same
}

func (p *pair) compare() bool {
	switch value := p.value.(type) {
	case map[string]any:
		old, ok := p.old.(map[string]any)
		if !ok || len(old) != len(value) {
			return false
		}
		for name := range value {
			if !p.child(name).unchanged() {
				return false
			}
		}
		return true
	case []any:
		old, ok := p.old.([]any)
		if !ok || len(old) != len(value) {
			return false
		}
		return p.compareItems(value, old)
	}
	return sameValue(p.value, p.old)
}

func (p *pair) compareItems(value, old []any) bool {
	if p.schema.ListType != "map" {
		return sameValue(value, old)
	}
	for i := range value {
		if !p.item(i).unchanged() {
			return false
		}
	}
	return true
}
