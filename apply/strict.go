package apply

import (
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxFindings is how many unknown members are told.
const maxFindings = 100

// Strict says what a strict reader refuses in the patch itself, in the API's words:
// fields that occur twice and, in a JSON Patch, unknown members of operations. It
// reads the patch again.
func (c *Change) Strict() []string {
	if c.kind == MergePatch {
		return prefixed(`duplicate field "`, duplicates(c.data, 0))
	}
	// What finds duplicates wants an object, so the list becomes a member of one.
	list := slices.Concat([]byte(`{"p":`), c.data, []byte(`}`))
	found := prefixed(`json patch duplicate field "`, duplicates(list, len("p")))
	return append(found, c.unknownMembers()...)
}

func duplicates(data []byte, skip int) []string {
	_, paths, _ := object.DecodeStrict(data) // it was read before without an error
	for i := range paths {
		paths[i] = paths[i][skip:]
	}
	return paths
}

func (c *Change) unknownMembers() []string {
	value, _ := object.DecodeValue(c.data)
	list, _ := value.([]any)
	var found []string
	for i, op := range list {
		members, _ := op.(map[string]any)
		var names []string
		for name := range members {
			switch name {
			case "op", "path", "from", "value":
			default:
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			if len(found) == maxFindings {
				return found
			}
			found = append(found, fmt.Sprintf("json patch unknown field %q", fmt.Sprintf("[%d].%s", i, name)))
		}
	}
	return found
}

func prefixed(prefix string, paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = prefix + path + `"`
	}
	return out
}
