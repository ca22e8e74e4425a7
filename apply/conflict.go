package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v4/merge"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// conflictError is the failure of an apply that would take fields from others. It
// names them in the order of their ids.
func (all owners) conflictError(conflicts merge.Conflicts) error {
	slices.SortStableFunc(conflicts, func(a, b merge.Conflict) int { return cmp.Compare(a.Manager, b.Manager) })
	causes := make([]object.Cause, len(conflicts))
	for i, c := range conflicts {
		causes[i] = object.Cause{
			Reason:  "FieldManagerConflict",
			Message: "conflict with " + all[c.Manager].String(),
			Field:   c.Path.String(),
		}
	}
	return object.ApplyConflict(causes, all.conflictMessage(conflicts))
}

func (all owners) conflictMessage(conflicts merge.Conflicts) string {
	if len(conflicts) == 1 {
		return fmt.Sprintf("Apply failed with 1 conflict: conflict with %v: %v", all[conflicts[0].Manager], conflicts[0].Path)
	}
	var lines []string
	for i, c := range conflicts {
		if i == 0 || c.Manager != conflicts[i-1].Manager {
			lines = append(lines, fmt.Sprintf("conflicts with %v:", all[c.Manager]))
		}
		lines = append(lines, fmt.Sprintf("- %v", c.Path))
	}
	return fmt.Sprintf("Apply failed with %d conflicts: %s", len(conflicts), strings.Join(lines, "\n"))
}

// String names the owner in messages.
func (o *owner) String() string {
	text := fmt.Sprintf("%q", o.manager)
	if o.subresource != "" {
		text += fmt.Sprintf(" with subresource %q", o.subresource)
	}
	if !o.applied() {
		text += " using " + o.apiVersion
	}
	return text
}
