package schema

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// ValidateLists finds what occurs twice in lists of type set, and whose keys do in
// lists of type map, in the words of the API. Field is the path of the object.
func (s *Schema) ValidateLists(value any, field string) object.FieldErrors {
	if s == nil || s.below&hasUniqueLists == 0 {
		return nil
	}
	c := listChecker{root: field}
	c.value(s, value)
	if len(c.errs) > 1 {
		c = listChecker{root: field, sorted: true}
		c.value(s, value)
	}
	return c.errs
}

// ValidateListsUpdate is [Schema.ValidateLists] for a value that replaces an old one:
// if that one has any such error, the API looks for none.
func (s *Schema) ValidateListsUpdate(value, old any, field string) object.FieldErrors {
	errs := s.ValidateLists(value, field)
	if len(errs) > 0 && len(s.ValidateLists(old, field)) > 0 {
		return nil
	}
	return errs
}

type listChecker struct {
	sorted bool // go through fields in order
	root   string
	route  route
	errs   object.FieldErrors
}

func (c *listChecker) value(s *Schema, v any) {
	if s == nil || s.below&hasUniqueLists == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		c.object(s, v)
	case []any:
		c.unique(s, v)
		for i := range v {
			c.route.index(i)
			c.value(s.Items, v[i])
			c.route.pop()
		}
	}
}

// object looks at the fields. Where there are additional properties, the API looks
// at all fields by their schema, and again at those that have one of their own.
func (c *listChecker) object(s *Schema, m map[string]any) {
	if extra := s.Additional(); extra != nil && extra.below&hasUniqueLists != 0 {
		visit := func(name string, v any) {
			c.route.key(name)
			c.value(extra, v)
			c.route.pop()
		}
		if c.sorted {
			inOrder(m)(func(name string, v any) bool { visit(name, v); return true })
		} else {
			for name, v := range m {
				visit(name, v)
			}
		}
	}
	for _, p := range s.Properties {
		if p.Schema.below&hasUniqueLists == 0 {
			continue
		}
		if v, ok := m[p.Name]; ok {
			c.route.field(p.Name)
			c.value(p.Schema, v)
			c.route.pop()
		}
	}
}

func (c *listChecker) unique(s *Schema, list []any) {
	switch s.ListType {
	case "set":
		for _, i := range twins(list) {
			c.errs = append(c.errs, object.DuplicateField(c.place(i), list[i]))
		}
	case "map":
		c.uniqueKeys(s, list)
	}
}

func (c *listChecker) place(i int) string { return indexed(c.route.under(c.root), i) }

func (c *listChecker) uniqueKeys(s *Schema, list []any) {
	for i, item := range list {
		if _, ok := item.(map[string]any); !ok && item != nil {
			c.errs = append(c.errs, object.InvalidField(c.place(i), item, "must be an object for an array of list-type map"))
			return
		}
	}
	if len(list) <= 1 {
		return
	}
	var room [8]any
	keys := room[:0]
	for _, item := range list {
		keys = append(keys, keysOf(item, s.ListMapKeys))
	}
	for _, i := range twins(keys) {
		shown := keys[i]
		if len(s.ListMapKeys) == 1 {
			shown = map[string]any{}
			if _, missing := keys[i].(noKey); !missing {
				shown = map[string]any{s.ListMapKeys[0]: keys[i]}
			}
		}
		c.errs = append(c.errs, object.DuplicateField(c.place(i), shown))
	}
}

// noKey stands for the key of an item that has none.
type noKey struct{}

// keysOf gives the key of an item, or an object of those it has if there may be several.
func keysOf(item any, names []string) any {
	if len(names) == 1 {
		if key, ok := at(item, names[0]); ok {
			return key
		}
		return noKey{}
	}
	keys := map[string]any{}
	for _, name := range names {
		if key, ok := at(item, name); ok {
			keys[name] = key
		}
	}
	return keys
}

// fewItems is how many items are compared each with each other.
const fewItems = 16

// twins gives the index of each second occurrence of a value; further ones of the
// same value are left out.
func twins(list []any) []int {
	if len(list) > fewItems {
		return twinsOfMany(list)
	}
	var found []int
	for i, x := range list {
		times := 0
		for _, y := range list[:i] {
			if sameKey(x, y) {
				times++
			}
		}
		if times == 1 {
			found = append(found, i)
		}
	}
	return found
}

func sameKey(x, y any) bool {
	switch x.(type) {
	case map[string]any, []any:
		switch y.(type) {
		case map[string]any, []any:
			return string(object.AppendJSON(nil, x)) == string(object.AppendJSON(nil, y))
		}
		return false
	}
	switch y.(type) {
	case map[string]any, []any:
		return false
	}
	return x == y
}

func twinsOfMany(list []any) []int {
	type compound string
	times := make(map[any]int, len(list))
	var found []int
	for i, x := range list {
		switch x.(type) {
		case map[string]any, []any:
			x = compound(object.AppendJSON(nil, x))
		}
		if times[x]++; times[x] == 2 {
			found = append(found, i)
		}
	}
	return found
}
