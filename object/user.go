package object

import "slices"

// User is who makes a request, as authentication found it.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// In says whether the user is a member of the group.
func (u User) In(group string) bool { return slices.Contains(u.Groups, group) }
