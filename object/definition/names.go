package definition

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Names are the names of a kind. In a document that nobody defaulted, Singular and
// ListKind may be empty.
type Names struct {
	Plural, Singular, Kind, ListKind string
	ShortNames, Categories           []string
}

// AcceptedNames gives the names that the status of a definition says are its own.
func AcceptedNames(o object.Object) Names {
	return readNames(node(o).node("status").node("acceptedNames"))
}

// AcceptNames settles the names that a definition asks for, in its status, in place:
// those that no other definition of its group has become its accepted names, and the
// conditions NamesAccepted and Established say what came of it. Others are the
// accepted names of all other definitions of the group. It does nothing, and changed
// is false, if the definition has the names already or all stays as it was.
//
// The definitions of the group should be asked again when names have become free.
func AcceptNames(o object.Object, others []Names, now time.Time) (changed bool) {
	wanted, accepted := readNames(node(o).node("spec").node("names")), AcceptedNames(o)
	if wanted.equal(accepted) {
		return false
	}
	s := settlement{now: accepted, others: append(slices.Clip(others), accepted)}
	s.settle(wanted, accepted)
	condition := Condition{"NamesAccepted", "True", "NoConflicts", "no conflicts found"}
	if s.reason != "" {
		condition = Condition{"NamesAccepted", "False", s.reason, s.message}
	}
	old, _ := ConditionOf(o, "NamesAccepted")
	if s.now.equal(accepted) && condition == old {
		return false
	}
	statusOf(o)["acceptedNames"] = s.now.document()
	SetCondition(o, condition, now)
	established, ok := ConditionOf(o, "Established")
	switch {
	case established.Status != "True" && condition.Status == "True":
		established = Condition{"Established", "False", "Installing", "the initial names have been accepted"}
	case !ok:
		established = Condition{"Established", "False", "NotAccepted", "not all names are accepted"}
	}
	SetCondition(o, established, now)
	return true
}

// settlement compares wanted names with those in use.
type settlement struct {
	now             Names // accepted so far
	others          []Names
	reason, message string // of the last conflict
}

func (s *settlement) settle(wanted, accepted Names) {
	resource, kind := s.isResource, s.isKind
	s.name(&s.now.Plural, wanted.Plural, resource, "PluralConflict")
	s.name(&s.now.Singular, wanted.Singular, resource, "SingularConflict")
	s.shortNames(wanted.ShortNames, accepted.ShortNames)
	s.name(&s.now.Kind, wanted.Kind, kind, "KindConflict")
	s.name(&s.now.ListKind, wanted.ListKind, kind, "ListKindConflict")
	s.now.Categories = wanted.Categories
}

// name accepts a wanted name unless it is in use.
func (s *settlement) name(accepted *string, wanted string, taken func(string) bool, reason string) {
	if wanted == *accepted {
		return
	}
	if taken(wanted) {
		s.reason, s.message = reason, inUse(wanted)
		return
	}
	*accepted = wanted
}

// shortNames accepts all of the short names or none.
func (s *settlement) shortNames(wanted, accepted []string) {
	var conflicts []string
	for _, name := range wanted {
		if !slices.Contains(accepted, name) && s.isResource(name) && !slices.Contains(conflicts, inUse(name)) {
			conflicts = append(conflicts, inUse(name))
		}
	}
	switch len(conflicts) {
	case 0:
		s.now.ShortNames = wanted
		return
	case 1:
		s.message = conflicts[0]
	default:
		s.message = "[" + strings.Join(conflicts, ", ") + "]"
	}
	s.reason = "ShortNamesConflict"
}

func inUse(name string) string { return fmt.Sprintf("%q is already in use", name) }

func (s *settlement) isResource(name string) bool {
	return slices.ContainsFunc(s.others, func(n Names) bool {
		return n.Plural == name || n.Singular == name || slices.Contains(n.ShortNames, name)
	})
}

func (s *settlement) isKind(name string) bool {
	return slices.ContainsFunc(s.others, func(n Names) bool { return n.Kind == name || n.ListKind == name })
}

func (n Names) equal(m Names) bool {
	return n.Plural == m.Plural && n.Singular == m.Singular && n.Kind == m.Kind && n.ListKind == m.ListKind &&
		slices.Equal(n.ShortNames, m.ShortNames) && slices.Equal(n.Categories, m.Categories)
}

func (n Names) document() map[string]any {
	doc := map[string]any{"plural": n.Plural, "kind": n.Kind}
	for name, text := range map[string]string{"singular": n.Singular, "listKind": n.ListKind} {
		if text != "" {
			doc[name] = text
		}
	}
	for name, list := range map[string][]string{"shortNames": n.ShortNames, "categories": n.Categories} {
		if len(list) == 0 {
			continue
		}
		values := make([]any, len(list))
		for i, text := range list {
			values[i] = text
		}
		doc[name] = values
	}
	return doc
}

func (n Names) clone() Names {
	return Names{
		strings.Clone(n.Plural), strings.Clone(n.Singular), strings.Clone(n.Kind), strings.Clone(n.ListKind),
		cloneTexts(n.ShortNames), cloneTexts(n.Categories),
	}
}

func cloneTexts(texts []string) []string {
	var clones []string
	for _, text := range texts {
		clones = append(clones, strings.Clone(text))
	}
	return clones
}
