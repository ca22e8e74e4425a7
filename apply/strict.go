package apply

import (
	"fmt"
	"slices"
)

// maxFindings is how many unknown members are told.
const maxFindings = 100

// unknownMembers gives the paths of members of operations that mean nothing: "[0].comment".
func unknownMembers(patch any) (paths []string) {
	list, _ := patch.([]any)
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
			if len(paths) == maxFindings {
				return paths
			}
			paths = append(paths, fmt.Sprintf("[%d].%s", i, name))
		}
	}
	return paths
}

// findings words what was found at some paths.
func findings(what string, paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = fmt.Sprintf("%s %q", what, path)
	}
	return out
}
