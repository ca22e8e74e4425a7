package definition

import (
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Condition is an entry of status.conditions. Type and status are words of the API.
type Condition struct {
	Type    string // NamesAccepted, Established, NonStructuralSchema, Terminating, ...
	Status  string // True, False, Unknown
	Reason  string
	Message string
}

// ConditionOf gives the condition of that type in the status of a definition.
func ConditionOf(o object.Object, conditionType string) (c Condition, ok bool) {
	for _, n := range node(o).node("status").nodes("conditions") {
		if n.text("type") == conditionType {
			return Condition{conditionType, n.text("status"), n.text("reason"), n.text("message")}, true
		}
	}
	return Condition{}, false
}

// IsTrue says whether a definition has the condition with the status True.
func IsTrue(o object.Object, conditionType string) bool {
	c, _ := ConditionOf(o, conditionType)
	return c.Status == "True"
}

// SetCondition puts a condition into the status of a definition, in place; changed is
// false if it is there already. The time of its transition moves only with its status.
func SetCondition(o object.Object, c Condition, now time.Time) (changed bool) {
	old, ok := ConditionOf(o, c.Type)
	if ok && old == c {
		return false
	}
	at := now.UTC().Format(time.RFC3339)
	conditions, _ := statusOf(o)["conditions"].([]any)
	conditions = slices.Clone(conditions)
	next := map[string]any{"type": c.Type, "status": c.Status, "lastTransitionTime": at}
	for name, text := range map[string]string{"reason": c.Reason, "message": c.Message} {
		if text != "" {
			next[name] = text
		}
	}
	if !ok {
		statusOf(o)["conditions"] = append(conditions, next)
		return true
	}
	i := slices.IndexFunc(conditions, func(v any) bool { return isOfType(v, c.Type) })
	before := conditions[i].(map[string]any)
	if generation, ok := before["observedGeneration"]; ok {
		next["observedGeneration"] = generation
	}
	if old.Status == c.Status && before["lastTransitionTime"] != nil {
		next["lastTransitionTime"] = before["lastTransitionTime"]
	}
	conditions[i] = next
	statusOf(o)["conditions"] = conditions
	return true
}

// RemoveCondition takes a condition out of the status of a definition, in place.
func RemoveCondition(o object.Object, conditionType string) (changed bool) {
	conditions, _ := statusOf(o)["conditions"].([]any)
	rest := slices.DeleteFunc(slices.Clone(conditions), func(v any) bool { return isOfType(v, conditionType) })
	if len(rest) == len(conditions) {
		return false
	}
	statusOf(o)["conditions"] = rest
	return true
}

func isOfType(v any, conditionType string) bool {
	m, _ := v.(map[string]any)
	return m != nil && m["type"] == conditionType
}

// statusOf is the status, made and attached first if it is missing.
func statusOf(o object.Object) map[string]any {
	status, ok := o["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		o["status"] = status
	}
	return status
}
