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
	value = plain(value)
	c := listChecker{}
	if c.value(s, value); c.count == 0 {
		return nil
	}
	c = listChecker{loud: true, root: field}
	c.value(s, value)
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

// listChecker is quiet at first, as the validator is.
type listChecker struct {
	loud  bool
	root  string
	route route
	count int
	errs  object.FieldErrors
}

func (c *listChecker) enter(s step) {
	if c.loud {
		c.route = append(c.route, s)
	}
}

func (c *listChecker) leave() {
	if c.loud {
		c.route.pop()
	}
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
			c.enter(step{index: i})
			c.value(s.Items, v[i])
			c.leave()
		}
	}
}

// object looks at the fields. Where there are additional properties, the API looks
// at all fields by their schema, and again at those that have one of their own.
func (c *listChecker) object(s *Schema, m map[string]any) {
	switch extra := s.Additional(); {
	case extra == nil || extra.below&hasUniqueLists == 0:
	case c.loud:
		for name, v := range inOrder(m) {
			c.additional(extra, name, v)
		}
	default:
		for name, v := range m {
			c.additional(extra, name, v)
		}
	}
	for _, p := range s.Properties {
		if p.Schema.below&hasUniqueLists == 0 {
			continue
		}
		if v, ok := m[p.Name]; ok {
			c.enter(step{name: p.Name, index: -1})
			c.value(p.Schema, v)
			c.leave()
		}
	}
}

func (c *listChecker) additional(s *Schema, name string, v any) {
	c.enter(step{name: name, index: -1, key: true})
	c.value(s, v)
	c.leave()
}

func (c *listChecker) unique(s *Schema, list []any) {
	switch s.ListType {
	case "set":
		for _, i := range twins(list) {
			if c.count++; c.loud {
				c.errs = append(c.errs, object.DuplicateField(c.place(i), list[i]))
			}
		}
	case "map":
		c.uniqueKeys(s, list)
	}
}

func (c *listChecker) place(i int) string { return indexed(c.route.under(c.root), i) }

func (c *listChecker) uniqueKeys(s *Schema, list []any) {
	for i, item := range list {
		if _, ok := item.(map[string]any); !ok && item != nil {
			if c.count++; c.loud {
				c.errs = append(c.errs, object.InvalidField(c.place(i), item, "must be an object for an array of list-type map"))
			}
			return
		}
	}
	for _, i := range keyTwins(list, s.ListMapKeys) {
		if c.count++; c.loud {
			c.errs = append(c.errs, object.DuplicateField(c.place(i), keysOf(list[i], s.ListMapKeys)))
		}
	}
}

// keysOf gives the keys that an item has.
func keysOf(item any, names []string) map[string]any {
	keys := map[string]any{}
	for _, name := range names {
		if key, ok := at(item, name); ok {
			keys[name] = key
		}
	}
	return keys
}

// keyTwins is twins for the keys of items.
func keyTwins(list []any, names []string) []int {
	if len(list) <= fewItems {
		return pairwise(list, func(x, y any) bool { return sameKeys(x, y, names) })
	}
	keys := make([]any, len(list))
	for i, item := range list {
		keys[i] = keysOf(item, names)
		if len(names) != 1 {
			continue
		}
		if key, ok := at(item, names[0]); ok {
			keys[i] = key
		}
	}
	return twinsOfMany(keys)
}

// sameKeys says whether two items have the same keys; one without a key has the same
// as another without it. The API compares a single key as it is and several as JSON,
// where 1 and 1.0 are the same.
func sameKeys(x, y any, names []string) bool {
	for _, name := range names {
		a, ok := at(x, name)
		b, okB := at(y, name)
		if ok != okB || !sameKey(a, b) && (len(names) == 1 || !sameNumber(a, b)) {
			return false
		}
	}
	return true
}

func sameNumber(a, b any) bool {
	switch a.(type) {
	case int64, float64:
		switch b.(type) {
		case int64, float64:
			return string(object.AppendJSON(nil, a)) == string(object.AppendJSON(nil, b))
		}
	}
	return false
}

// fewItems is how many items are compared each with each other.
const fewItems = 16

// twins gives the index of each second occurrence of a value; further ones of the
// same value are left out.
func twins(list []any) []int {
	if len(list) > fewItems {
		return twinsOfMany(list)
	}
	return pairwise(list, sameKey)
}

func pairwise(list []any, same func(x, y any) bool) []int {
	var found []int
	for i, x := range list {
		times := 0
		for _, y := range list[:i] {
			if same(x, y) {
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
