package match

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Index finds, of many matchers, those that can match a request: by operation, group and
// resource, before anything else is looked at. Matchers go by their places in a list.
type Index struct {
	operations []operationSet // by place
	byWords    map[object.GroupResource][]int
}

// NewIndex makes an index of matchers.
func NewIndex(matchers []*Matcher) *Index {
	x := &Index{operations: make([]operationSet, len(matchers)), byWords: map[object.GroupResource][]int{}}
	for i, m := range matchers {
		x.add(i, m)
	}
	return x
}

// add files a matcher under the groups and resources in its rules, which may be wildcards.
func (x *Index) add(i int, m *Matcher) {
	if len(m.include) == 0 {
		x.operations[i] = ^operationSet(0)
		x.file(i, object.GroupResource{Group: anything, Resource: anything})
	}
	for j := range m.include {
		r := &m.include[j]
		x.operations[i] |= r.operations
		for _, group := range r.APIGroups {
			for _, resource := range r.resources {
				x.file(i, object.GroupResource{Group: group, Resource: resource.name})
			}
		}
	}
}

func (x *Index) file(i int, words object.GroupResource) {
	if places := x.byWords[words]; len(places) == 0 || places[len(places)-1] != i {
		x.byWords[words] = append(places, i)
	}
}

// Candidates gives the places of those that can match, in order.
func (x *Index) Candidates(s *Subject) []int {
	if len(x.operations) == 0 {
		return nil
	}
	found := make([]int, 0, 16)
	own := s.Request.Resource.GroupResource()
	found = x.lookUp(found, s, own)
	for _, form := range s.equivalents() {
		if gr := form.Resource.GroupResource(); gr != own {
			found = x.lookUp(found, s, gr)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (x *Index) lookUp(found []int, s *Subject, gr object.GroupResource) []int {
	for _, words := range [...]object.GroupResource{
		gr, {Group: gr.Group, Resource: anything}, {Group: anything, Resource: gr.Resource}, {Group: anything, Resource: anything},
	} {
		for _, i := range x.byWords[words] {
			if x.operations[i].has(s.Request.Operation) {
				found = append(found, i)
			}
		}
	}
	return found
}
