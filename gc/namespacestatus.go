package gc

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// condition is one of a namespace's status.
type condition struct {
	kind, reason, message string
	holds                 bool
}

// conditions words the findings as the API does, in its order.
func (f *findings) conditions() []condition {
	all := []condition{
		{kind: "NamespaceDeletionDiscoveryFailure", reason: "ResourcesDiscovered", message: "All resources successfully discovered"},
		{kind: "NamespaceDeletionGroupVersionParsingFailure", reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed"},
		{kind: "NamespaceDeletionContentFailure", reason: "ContentDeleted", message: "All content successfully deleted, may be waiting on finalization"},
		{kind: "NamespaceContentRemaining", reason: "ContentRemoved", message: "All content successfully removed"},
		{kind: "NamespaceFinalizersRemaining", reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished"},
	}
	if f.discovery != nil {
		all[0].hold("DiscoveryFailed", f.discovery.Error())
	}
	if f.parsing != nil {
		all[1].hold("GroupVersionParsingFailed", f.parsing.Error())
	}
	if n := len(f.failures); n > 0 {
		all[2].hold("ContentDeletionFailed", fmt.Sprintf("Failed to delete all resource types, %d remaining: %s", n, f.joinFailures()))
	}
	if len(f.remaining) > 0 {
		all[3].hold("SomeResourcesRemain", "Some resources are remaining: "+joinCounts(f.remaining, func(r object.GroupVersionResource, n int) string {
			return fmt.Sprintf("%s.%s has %d resource instances", r.Resource, r.Group, n)
		}))
	}
	if len(f.finalizers) > 0 {
		all[4].hold("SomeFinalizersRemain", "Some content in the namespace has finalizers remaining: "+joinCounts(f.finalizers, func(name string, n int) string {
			return fmt.Sprintf("%s in %d resource instances", name, n)
		}))
	}
	return all
}

func (c *condition) hold(reason, message string) {
	c.holds, c.reason, c.message = true, reason, message
}

func (f *findings) joinFailures() string {
	texts := make([]string, len(f.failures))
	for i, err := range f.failures {
		texts[i] = err.Error()
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// joinCounts words counts in an order that is always the same.
func joinCounts[K comparable](counts map[K]int, word func(K, int) string) string {
	texts := make([]string, 0, len(counts))
	for key, n := range counts {
		texts = append(texts, word(key, n))
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// report gives a copy of a namespace whose status tells the findings. changed is
// false if it tells them already.
func (f *findings) report(namespace object.Object, now time.Time) (next object.Object, changed bool) {
	next = namespace.DeepCopy()
	status, ok := next["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		next["status"] = status
	}
	if status["phase"] != "Terminating" {
		status["phase"], changed = "Terminating", true
	}
	present, _ := status["conditions"].([]any)
	for _, c := range f.conditions() {
		present, ok = c.set(present, now)
		changed = changed || ok
	}
	status["conditions"] = present
	return next, changed
}

// set puts a condition in the place of the one of its type. The time is that of the
// last change from one answer to the other.
func (c *condition) set(present []any, now time.Time) (next []any, changed bool) {
	status := "False"
	if c.holds {
		status = "True"
	}
	i := slices.IndexFunc(present, func(v any) bool {
		m, _ := v.(map[string]any)
		return m["type"] == c.kind
	})
	if i < 0 {
		i, present = len(present), append(present, map[string]any{"type": c.kind})
	}
	m := present[i].(map[string]any)
	if m["status"] == status && m["reason"] == c.reason && m["message"] == c.message {
		return present, false
	}
	if m["status"] != status {
		m["lastTransitionTime"] = now.UTC().Format(time.RFC3339)
	}
	m["status"], m["reason"], m["message"] = status, c.reason, c.message
	return present, true
}
