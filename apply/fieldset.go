package apply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/value"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// decodeFields reads a set of fields as an entry of managedFields has it: maps in one
// another, where the name of a member is a step of a path and an empty map the end of
// one. A member "." says that the path may end here as well. Plain says whether
// [encodeFields] would write the set in the same way.
func decodeFields(v any) (set *fieldpath.Set, plain bool, err error) {
	d := decoder{plain: true}
	set = &fieldpath.Set{}
	if v == nil {
		return set, false, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false, notAnObject(v)
	}
	err = d.members(set, m)
	return set, d.plain, err
}

func notAnObject(v any) error {
	return fmt.Errorf("fields are %s, not an object", object.JSONType(v))
}

type decoder struct{ plain bool }

func (d *decoder) members(set *fieldpath.Set, m map[string]any) error {
	var room [16]string
	names := room[:0]
	for name := range m {
		if name != "." {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var stepRoom [16]namedStep
	steps := stepRoom[:0]
	for _, name := range names {
		step, err := parseStep(name)
		if errors.Is(err, errUnknownStep) {
			d.plain = false
			continue // what newer servers may write is forgotten
		}
		if err != nil {
			return fmt.Errorf("step %q of a path: %w", name, err)
		}
		d.plain = d.plain && (name[0] == 'f' || stepText(step) == name)
		steps = append(steps, namedStep{name, step})
	}
	if !slices.IsSortedFunc(steps, namedStep.compare) { // a set is slow to grow but at its end
		slices.SortStableFunc(steps, namedStep.compare)
	}
	for _, s := range steps {
		if err := d.step(set, s.step, m[s.name]); err != nil {
			return err
		}
	}
	return nil
}

// namedStep is a step of a path with its name in a document.
type namedStep struct {
	name string
	step fieldpath.PathElement
}

func (s namedStep) compare(t namedStep) int { return s.step.Compare(t.step) }

func (d *decoder) step(set *fieldpath.Set, step fieldpath.PathElement, v any) error {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		return notAnObject(v)
	}
	if len(m) == 0 {
		d.plain = d.plain && ok
		set.Members.Insert(step)
		return nil
	}
	below := &fieldpath.Set{}
	if err := d.members(below, m); err != nil {
		return err
	}
	end, ends := m["."]
	if empty := below.Empty(); ends || empty {
		dot, ok := end.(map[string]any)
		d.plain = d.plain && ok && len(dot) == 0 && !empty
		set.Members.Insert(step)
		if empty {
			return nil
		}
	}
	*set.Children.Descend(step) = *below
	return nil
}

var errUnknownStep = errors.New("unknown kind of step")

// parseStep reads a step: f:NAME for a field, k:{"NAME":VALUE} for the item of a list
// by its keys, v:VALUE for an item of a set, i:INDEX for one by its place.
func parseStep(s string) (fieldpath.PathElement, error) {
	if len(s) < 2 || s[1] != ':' {
		return fieldpath.PathElement{}, errors.New("it has no colon behind its first letter")
	}
	text := s[2:]
	switch s[0] {
	case 'f':
		return fieldpath.PathElement{FieldName: &text}, nil
	case 'v':
		v, err := object.DecodeValue([]byte(text))
		if err != nil {
			return fieldpath.PathElement{}, err
		}
		item := value.NewValueInterface(v)
		return fieldpath.PathElement{Value: &item}, nil
	case 'k':
		keys, err := object.Decode([]byte(text))
		if err != nil {
			return fieldpath.PathElement{}, err
		}
		list := make(value.FieldList, 0, len(keys))
		for name, v := range keys {
			list = append(list, value.Field{Name: name, Value: value.NewValueInterface(v)})
		}
		list.Sort()
		return fieldpath.PathElement{Key: &list}, nil
	case 'i':
		i, err := strconv.Atoi(text)
		return fieldpath.PathElement{Index: &i}, err
	}
	return fieldpath.PathElement{}, errUnknownStep
}

// encodeFields is the reverse of [decodeFields].
func encodeFields(set *fieldpath.Set) map[string]any {
	m := make(map[string]any, set.Members.Size())
	set.Members.Iterate(func(step fieldpath.PathElement) { m[stepText(step)] = map[string]any{} })
	set.Children.Iterate(func(step fieldpath.PathElement) {
		below, _ := set.Children.Get(step)
		if below.Empty() {
			return
		}
		inner := encodeFields(below)
		name := stepText(step)
		if m[name] != nil {
			inner["."] = map[string]any{}
		}
		m[name] = inner
	})
	return m
}

func stepText(step fieldpath.PathElement) string {
	switch {
	case step.FieldName != nil:
		return "f:" + *step.FieldName
	case step.Key != nil:
		dst := []byte("k:{")
		for _, key := range *step.Key {
			if isAbsentKey(key.Value) {
				continue
			}
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(object.AppendJSON(dst, key.Name), ':')
			dst = appendEscaped(dst, key.Value.Unstructured())
		}
		return string(append(dst, '}'))
	case step.Value != nil:
		return string(object.AppendJSON([]byte("v:"), (*step.Value).Unstructured()))
	}
	return "i:" + strconv.Itoa(*step.Index)
}

// appendEscaped appends the value of a key as the API does: escaped for HTML.
func appendEscaped(dst []byte, v any) []byte {
	start := len(dst)
	dst = object.AppendJSON(dst, v)
	if text, ok := v.(string); ok && strings.ContainsAny(text, "<>&\u2028\u2029") {
		escaped := bytes.NewBuffer(dst[:start:start])
		json.HTMLEscape(escaped, dst[start:])
		return escaped.Bytes()
	}
	return dst
}

// dotted makes a set of paths of fields, such as "metadata.labels".
func dotted(paths ...string) *fieldpath.Set {
	set := &fieldpath.Set{}
	for _, path := range paths {
		set.Insert(fieldPath(path))
	}
	return set
}

func fieldPath(dotted string) (p fieldpath.Path) {
	for name := range strings.SplitSeq(dotted, ".") {
		p = append(p, fieldpath.PathElement{FieldName: &name})
	}
	return p
}
