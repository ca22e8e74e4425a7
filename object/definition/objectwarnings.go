package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Warnings gives what the API warns of in a valid object: finalizers that are new and
// that others might call the same, and parts that break rules as they did before. Old
// is nil on a create.
func (v *Version) Warnings(next, old object.Object) []string {
	return append(v.StatusWarnings(next, old), finalizerWarnings(next, old)...)
}

// StatusWarnings is [Version.Warnings] for a write through the status subresource.
func (v *Version) StatusWarnings(next, old object.Object) []string {
	if old == nil {
		return nil
	}
	return v.ruleVerdict(next, old).Warnings
}

func finalizerWarnings(next, old object.Object) []string {
	const field = "metadata.finalizers"
	before := old.Finalizers()
	names := next.Finalizers()
	slices.Sort(names)
	var warnings []string
	for _, name := range slices.Compact(names) {
		if slices.Contains(before, name) {
			continue
		}
		for _, problem := range object.ValidateLabelKey(name) {
			warnings = append(warnings, fmt.Sprintf("%s: %q: %s", field, name, problem))
		}
		switch name {
		case object.FinalizerOrphan, object.FinalizerForeground, "kubernetes":
			continue
		}
		switch {
		case strings.Contains(name, "/"):
		case strings.Contains(name, "."):
			warnings = append(warnings, fmt.Sprintf("%s: %q: prefer a domain-qualified finalizer name including a path (/)"+
				" to avoid accidental conflicts with other finalizer writers", field, name))
		default:
			warnings = append(warnings, fmt.Sprintf("%s: %q: prefer a domain-qualified finalizer name"+
				" to avoid accidental conflicts with other finalizer writers", field, name))
		}
	}
	return warnings
}
