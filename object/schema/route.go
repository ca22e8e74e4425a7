package schema

import (
	"strconv"
	"strings"
)

// step is one step into a document: a field of a structure, a key of a map or an
// index of a list.
type step struct {
	name  string
	index int // -1 for no index
	key   bool
}

// route is the way from the root of a document to a value in it. It is kept as
// steps, since it is written out only where something is wrong.
type route []step

func (r *route) field(name string) { *r = append(*r, step{name: name, index: -1}) }
func (r *route) key(name string)   { *r = append(*r, step{name: name, index: -1, key: true}) }
func (r *route) index(i int)       { *r = append(*r, step{index: i}) }
func (r *route) pop()              { *r = (*r)[:len(*r)-1] }

// member steps into a member of an object that s describes and gives its schema:
// that of the property of this name, or else of the additional ones.
func (r *route) member(s *Schema, name string) *Schema {
	if sub := property(s.Properties, name); sub != nil {
		r.field(name)
		return sub
	}
	r.key(name)
	return s.Additional()
}

// dotted writes fields and keys alike, with a dot between: "spec.ports[0].name".
func (r route) dotted() string {
	var b strings.Builder
	for _, s := range r {
		switch {
		case s.index >= 0:
			writeIndex(&b, s.index)
		case b.Len() > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// under writes keys in brackets, behind the path of the root:
// "spec.labels[app.kubernetes.io/name]".
func (r route) under(root string) string {
	var b strings.Builder
	b.WriteString(root)
	for _, s := range r {
		switch {
		case s.index >= 0:
			writeIndex(&b, s.index)
		case s.key:
			b.WriteString("[" + s.name + "]")
		case b.Len() > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func writeIndex(b *strings.Builder, i int) {
	b.WriteByte('[')
	b.WriteString(strconv.Itoa(i))
	b.WriteByte(']')
}

// child is the path of a field of the value with the path.
func child(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

func indexed(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func keyed(path, key string) string { return path + "[" + key + "]" }
