package match

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Matcher is a [Resources] ready for use, by any number of goroutines. The zero value matches all.
type Matcher struct {
	namespaces, objects *object.LabelSelector // nil for all
	include, exclude    []rule
	exact               bool
}

// rule is a [Rule] with its operations as bits.
type rule struct {
	Rule
	operations operationSet
	resources  []resourcePattern
}

type resourcePattern struct{ name, part string }

// Compile makes a matcher. Without resource rules it matches all resources; nil matches
// everything. It keeps the rules, which must not change any more.
func (m *Resources) Compile() (Matcher, error) {
	if m == nil {
		return Matcher{}, nil
	}
	var compiled Matcher
	var err error
	if compiled.namespaces, err = compileSelector(m.NamespaceSelector); err != nil {
		return Matcher{}, err
	}
	if compiled.objects, err = compileSelector(m.ObjectSelector); err != nil {
		return Matcher{}, err
	}
	compiled.include = compileRules(m.ResourceRules)
	compiled.exclude = compileRules(m.ExcludeResourceRules)
	compiled.exact = m.MatchPolicy == exact
	return compiled, nil
}

// compileSelector gives nil for a selector that selects all.
func compileSelector(spec *object.LabelSelectorSpec) (*object.LabelSelector, error) {
	if spec == nil {
		return nil, nil
	}
	s, err := spec.Selector()
	if err != nil || s.Empty() {
		return nil, err
	}
	return &s, nil
}

func compileRules(rules []Rule) []rule {
	compiled := make([]rule, len(rules))
	for i, r := range rules {
		compiled[i] = rule{Rule: r, operations: operationsOf(r.Operations)}
		for _, resource := range r.Resources {
			name, part, _ := strings.Cut(resource, "/")
			compiled[i].resources = append(compiled[i].resources, resourcePattern{name, part})
		}
	}
	return compiled
}

// Match gives the form in which the matcher knows the request, or nil if it is not about it.
func (m *Matcher) Match(s *Subject) *Form {
	if !s.inNamespace(m.namespaces) || !s.isSelected(m.objects) || m.matchRules(m.exclude, s) != nil {
		return nil
	}
	if len(m.include) == 0 {
		return &s.own
	}
	return m.matchRules(m.include, s)
}

// matchRules looks at the resource itself first, and only then at what is equivalent.
func (m *Matcher) matchRules(rules []rule, s *Subject) *Form {
	for i := range rules {
		if rules[i].matches(s.Request, s.Request.Resource) {
			return &s.own
		}
	}
	if m.exact {
		return nil
	}
	for i := range rules {
		others := s.equivalents()
		for j := range others {
			if others[j].Resource != s.Request.Resource && rules[i].matches(s.Request, others[j].Resource) {
				return &others[j]
			}
		}
	}
	return nil
}

func (r *rule) matches(req *admission.Request, resource object.GroupVersionResource) bool {
	return r.operations.has(req.Operation) &&
		matchesWord(r.APIGroups, resource.Group) &&
		matchesWord(r.APIVersions, resource.Version) &&
		r.matchesResource(resource.Resource, req.Subresource) &&
		r.matchesScope(req) &&
		(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, req.Name))
}

func matchesWord(words []string, word string) bool {
	for _, w := range words {
		if w == anything || w == word {
			return true
		}
	}
	return false
}

func (r *rule) matchesResource(name, part string) bool {
	for i := range r.resources {
		p := &r.resources[i]
		if (p.name == anything || p.name == name) && (p.part == anything || p.part == part) {
			return true
		}
	}
	return false
}

// matchesScope takes a namespace for an object of the cluster, though it is in itself.
func (r *rule) matchesScope(req *admission.Request) bool {
	if r.Scope == "" || r.Scope == anything {
		return true
	}
	namespaced := req.Namespace != "" && !req.IsNamespace()
	return namespaced == (r.Scope == namespacedScope)
}

// operationSet is a set of operations.
type operationSet uint8

func operationsOf(words []string) operationSet {
	var set operationSet
	for _, word := range words {
		if word == anything {
			return ^operationSet(0)
		}
		set |= operationBit(admission.Operation(word))
	}
	return set
}

func (s operationSet) has(o admission.Operation) bool { return s&operationBit(o) != 0 }

func operationBit(o admission.Operation) operationSet {
	switch o {
	case admission.Create:
		return 1
	case admission.Update:
		return 2
	case admission.Delete:
		return 4
	case admission.Connect:
		return 8
	}
	return 0
}
