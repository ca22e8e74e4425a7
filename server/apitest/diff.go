package apitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// FieldChange is one field that differs between two states of an object. A value is nil where the
// field is absent.
type FieldChange struct {
	Path     string // "spec.containers[web].image"
	Old, New any
}

// maxValue is how much of a value is shown.
const maxValue = 160

// String shows the change as one line.
func (c FieldChange) String() string {
	switch {
	case c.Old == nil:
		return "+ " + c.Path + ": " + shown(c.New)
	case c.New == nil:
		return "- " + c.Path + ": " + shown(c.Old)
	}
	return c.Path + ": " + shown(c.Old) + " -> " + shown(c.New)
}

func shown(v any) string {
	text := string(object.AppendJSON(nil, v))
	if len(text) > maxValue {
		return strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return text
}

// Diff tells what differs between two states of an object, in the order of the paths. Items of a
// list that have names of their own, such as containers and conditions, are compared by
// those. What only the server keeps account of is left out: managedFields and resourceVersion.
func Diff(before, after object.Object) []FieldChange {
	d := &differ{}
	d.maps("", withoutAccounts(before), withoutAccounts(after))
	return d.changes
}

// withoutAccounts gives a document without its type and what the server keeps account of.
func withoutAccounts(o object.Object) map[string]any {
	fields := maps.Clone(map[string]any(o))
	delete(fields, "kind")
	delete(fields, "apiVersion")
	if metadata := o.Metadata(); metadata != nil {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		delete(metadata, "resourceVersion")
		fields["metadata"] = metadata
	}
	return fields
}

type differ struct{ changes []FieldChange }

func (d *differ) maps(path string, before, after map[string]any) {
	for _, name := range namesOf(before, after) {
		d.values(join(path, name), before[name], after[name])
	}
}

// namesOf are the names of the fields that one of the maps has, sorted.
func namesOf(a, b map[string]any) []string {
	names := slices.AppendSeq(make([]string, 0, len(a)+len(b)), maps.Keys(a))
	names = slices.AppendSeq(names, maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// join names a field of a map.
func join(path, name string) string {
	switch {
	case !isPlain(name):
		return fmt.Sprintf("%s[%q]", path, name)
	case path == "":
		return name
	}
	return path + "." + name
}

// isPlain says whether a name needs no quotes.
func isPlain(name string) bool {
	for _, c := range []byte(name) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != ""
}

// values compares what a field was with what it is.
func (d *differ) values(path string, before, after any) {
	oldMap, wasMap := before.(map[string]any)
	newMap, isMap := after.(map[string]any)
	switch {
	case (wasMap || before == nil) && (isMap || after == nil) && len(oldMap)+len(newMap) > 0:
		d.maps(path, oldMap, newMap)
		return
	case object.Object{"": before}.Equal(object.Object{"": after}):
		return
	}
	oldList, wasList := before.([]any)
	newList, isList := after.([]any)
	if wasList && isList && d.lists(path, oldList, newList) {
		return
	}
	d.changes = append(d.changes, FieldChange{path, before, after})
}

// lists compares lists item by item, if that makes sense.
func (d *differ) lists(path string, before, after []any) bool {
	if key := keyOf(before, after); key != "" {
		oldItems, newItems := itemsByName(before, key), itemsByName(after, key)
		for _, name := range namesOf(oldItems, newItems) {
			at, oldItem, newItem := fmt.Sprintf("%s[%s]", path, name), oldItems[name], newItems[name]
			if oldItem == nil || newItem == nil {
				d.changes = append(d.changes, FieldChange{at, oldItem, newItem})
				continue
			}
			d.values(at, oldItem, newItem)
		}
		return true
	}
	if len(before) != len(after) || !allMaps(before) || !allMaps(after) {
		return false
	}
	for i := range before {
		d.values(fmt.Sprintf("%s[%d]", path, i), before[i], after[i])
	}
	return true
}

// keyOf finds the field that names the items of both lists, in the same order; "" if there is
// none.
func keyOf(before, after []any) string {
	for _, key := range [...]string{"name", "type", "uid", "key", "id"} {
		oldNames, ok := namesBy(before, key)
		newNames, alsoOk := namesBy(after, key)
		if ok && alsoOk && sameOrder(oldNames, newNames) {
			return key
		}
	}
	return ""
}

// namesBy reads a field of all items; ok is false if it does not name each of them.
func namesBy(list []any, key string) (names []string, ok bool) {
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields[key].(string)
		if name == "" || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// sameOrder says whether the names that two lists have in common have the same order.
func sameOrder(a, b []string) bool {
	in := func(list []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(list, name) }
	}
	return slices.Equal(slices.DeleteFunc(slices.Clone(a), in(b)), slices.DeleteFunc(slices.Clone(b), in(a)))
}

func itemsByName(list []any, key string) map[string]any {
	items := make(map[string]any, len(list))
	for _, item := range list {
		fields := item.(map[string]any)
		items[fields[key].(string)] = item
	}
	return items
}

func allMaps(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool { _, ok := item.(map[string]any); return !ok })
}
