package admission

import (
	"maps"
	"slices"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxDifferences is how many differences of two documents are told.
const maxDifferences = 50

// differences says what became of a document: fields that were set, changed and removed, by
// their paths.
func differences(before, after object.Object) []string {
	var d differ
	d.values("", map[string]any(before), map[string]any(after))
	if len(d.found) > maxDifferences {
		d.found = append(d.found[:maxDifferences], strconv.Itoa(len(d.found)-maxDifferences)+" more")
	}
	return d.found
}

type differ struct{ found []string }

func (d *differ) values(path string, before, after any) {
	if object.EqualValues(before, after) {
		return
	}
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok {
			d.maps(path, was, is)
			return
		}
	case []any:
		if is, ok := after.([]any); ok && len(is) == len(was) {
			for i := range was {
				d.values(path+"["+strconv.Itoa(i)+"]", was[i], is[i])
			}
			return
		}
	}
	d.found = append(d.found, "changed "+path)
}

func (d *differ) maps(path string, before, after map[string]any) {
	if path != "" {
		path += "."
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, ok := before[name]
		if !ok {
			d.found = append(d.found, "set "+path+name)
			continue
		}
		d.values(path+name, was, after[name])
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok {
			d.found = append(d.found, "removed "+path+name)
		}
	}
}
