package definition

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Warnings gives what the API warns of in a definition although it is valid: on a
// create, when old is nil, all of it, and on an update what is new.
func Warnings(next, old object.Object) []string {
	formats, sets := oddities(next)
	if old != nil {
		oldFormats, oldSets := oddities(old)
		formats = slices.DeleteFunc(formats, func(format string) bool { return slices.Contains(oldFormats, format) })
		maps.DeleteFunc(sets, func(warning string, _ bool) bool { return oldSets[warning] })
	}
	var warnings []string
	for _, format := range formats {
		warnings = append(warnings, fmt.Sprintf("unrecognized format %q", format))
	}
	return append(warnings, slices.Sorted(maps.Keys(sets))...)
}

// oddities finds the formats that the API doesn't know and the warnings about sets.
func oddities(o object.Object) (formats []string, sets map[string]bool) {
	sets = map[string]bool{}
	doc, err := read(o, new(schema.Pool))
	if err != nil {
		return nil, sets
	}
	s := arrange(doc)
	for _, v := range append([]version{s.common}, s.versions...) {
		if v.schema == nil {
			continue
		}
		formats = append(formats, v.schema.UnknownFormats()...)
		for _, warning := range v.schema.SetWarnings() {
			sets[warning] = true
		}
	}
	return formats, sets
}
