package rules

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// unchanged says whether the value is that of before: itself, or the innermost value
// around it that has an old one. The type of an object is never taken for unchanged,
// since old and new are converted to the same one.
func (p *point) unchanged() bool {
	if p.isType() {
		return false
	}
	for p.old == nil && p.above != nil {
		p = p.above
	}
	return p.old != nil && same(p.node.schema, p.value, p.old)
}

func (p *point) isType() bool {
	for ; p.above != nil; p = p.above {
		if p.above.above == nil && !p.isKey && (p.name == "apiVersion" || p.name == "kind") {
			return true
		}
	}
	return false
}

// same compares values as the API does here: items of a list of type map may have
// changed places, and an object that has fields of which the schema knows nothing is
// never the same.
func same(s *schema.Schema, value, old any) bool {
	switch value := value.(type) {
	case map[string]any:
		old, ok := old.(map[string]any)
		if !ok || len(old) != len(value) {
			return false
		}
		for name, v := range value {
			field := s.Field(name)
			if w, ok := old[name]; !ok || field == nil || !same(field, v, w) {
				return false
			}
		}
		return true
	case []any:
		old, ok := old.([]any)
		if !ok || len(old) != len(value) {
			return false
		}
		if s.ListType == "map" && s.Items != nil {
			return sameItems(s, value, old)
		}
	}
	return sameData(value, old)
}

func sameItems(s *schema.Schema, items, old []any) bool {
	byKeys := itemsByKeys(s, old)
	for _, item := range items {
		before := byKeys.find(item)
		if before == nil || !same(s.Items, item, before) {
			return false
		}
	}
	return true
}

// keyedItems finds items of a list of type map by their keys. The list is looked
// through once, when it is first asked.
type keyedItems struct {
	keys  []string
	items []any
	byKey map[any]any
}

// itemsByKeys finds nothing if the list is of another type.
func itemsByKeys(s *schema.Schema, items []any) *keyedItems {
	if s.ListType != "map" || s.Type != "array" || len(s.ListMapKeys) == 0 || len(items) == 0 {
		return &keyedItems{}
	}
	return &keyedItems{keys: s.ListMapKeys, items: items}
}

// find gives the first item with the same keys as another, or nil.
func (k *keyedItems) find(item any) any {
	if k.items == nil {
		return nil
	}
	if k.byKey == nil {
		k.byKey = make(map[any]any, len(k.items))
		for _, old := range k.items {
			if key := dataKey(old, k.keys); key != nil && k.byKey[key] == nil {
				k.byKey[key] = old
			}
		}
	}
	key := dataKey(item, k.keys)
	if key == nil {
		return nil
	}
	return k.byKey[key]
}

// dataKey gives the keys of an item as one value, or nil if any is missing or no scalar.
func dataKey(item any, keys []string) any {
	fields, _ := item.(map[string]any)
	parts := make([]any, len(keys))
	for i, key := range keys {
		switch v := fields[key].(type) {
		case string, int64, float64, bool:
			parts[i] = v
		default:
			return nil
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return fmt.Sprintf("%#v", parts)
}
