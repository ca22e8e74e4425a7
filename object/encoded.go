package object

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// Encoded is an object in its stored form: what selection needs in Head, the
// document in Body. A get, a list or a watch in the stored form copies Body and
// puts the type and the resource version in front; nothing is parsed.
//
// Head is one byte of flags, the labels, and the selectable fields (each a count
// and then names and values, all lengths as uvarints), in the order of their names.
// Body is the JSON of the document without kind, apiVersion and
// metadata.resourceVersion; it begins with {"metadata":{ and at least one field of it.
//
// Both are shared and read-only. Unless the method that returned it says
// otherwise, an Encoded may be kept.
type Encoded struct {
	Version ResourceVersion
	Head    []byte
	Body    []byte
}

const headDeleting = 1

// bodyPrefix is what every Body begins with; the resource version goes behind it.
const bodyPrefix = `{"metadata":{`

// Encode gives the stored form of an object, with Version zero. The fields are
// those that a field selector may name beyond metadata.name and
// metadata.namespace. The object must have a name.
func Encode(o Object, fields map[string]string) (Encoded, error) {
	if o.Name() == "" {
		return Encoded{}, fmt.Errorf("encoding %s: it has no name", o.Kind())
	}
	return Encoded{Head: encodeHead(o, fields), Body: encodeBody(o)}, nil
}

func encodeHead(o Object, fields map[string]string) []byte {
	head := make([]byte, 1, 128)
	if _, ok := o.Metadata()["deletionTimestamp"]; ok {
		head[0] |= headDeleting
	}
	labels, _ := o.Metadata()["labels"].(map[string]any)
	head = appendPairs(head, labels, func(v any) string { s, _ := v.(string); return s })
	return appendPairs(head, fields, func(s string) string { return s })
}

func appendPairs[V any](dst []byte, pairs map[string]V, text func(V) string) []byte {
	var room [16]string
	names := room[:0]
	for name := range pairs {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	for _, name := range names {
		dst = appendText(dst, name)
		dst = appendText(dst, text(pairs[name]))
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func encodeBody(o Object) []byte {
	dst := make([]byte, 0, 1024)
	dst = append(dst, `{"metadata":`...)
	dst = appendMap(dst, o.Metadata(), "resourceVersion")
	var room [16]string
	names := room[:0]
	for name := range o {
		if name != "metadata" && name != "kind" && name != "apiVersion" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		dst = append(dst, ',')
		dst = appendString(dst, name)
		dst = append(dst, ':')
		dst = AppendJSON(dst, o[name])
	}
	return append(dst, '}')
}

// Deleting says whether the object has a deletion timestamp.
func (e *Encoded) Deleting() bool { return len(e.Head) > 0 && e.Head[0]&headDeleting != 0 }

// Label looks a label up.
func (e *Encoded) Label(name string) (value []byte, ok bool) {
	pairs, n := e.labels()
	return lookUp(pairs, n, name)
}

// Field looks a selectable field up.
func (e *Encoded) Field(name string) (value []byte, ok bool) {
	rest, n := e.labels()
	for ; n > 0 && len(rest) > 0; n-- {
		_, rest = cutText(rest)
		_, rest = cutText(rest)
	}
	n, rest = cutCount(rest)
	return lookUp(rest, n, name)
}

func (e *Encoded) labels() (pairs []byte, n uint64) {
	if len(e.Head) == 0 {
		return nil, 0
	}
	n, pairs = cutCount(e.Head[1:])
	return pairs, n
}

func lookUp(pairs []byte, n uint64, name string) (value []byte, ok bool) {
	for ; n > 0 && len(pairs) > 0; n-- {
		var key []byte
		key, pairs = cutText(pairs)
		value, pairs = cutText(pairs)
		if string(key) == name {
			return value, true
		}
	}
	return nil, false
}

func cutCount(b []byte) (uint64, []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil
	}
	return n, b[size:]
}

func cutText(b []byte) (text, rest []byte) {
	n, rest := cutCount(b)
	if n > uint64(len(rest)) {
		return nil, nil
	}
	return rest[:n], rest[n:]
}

// AppendJSON appends the document with its type and resource version. A zero
// TypeMeta leaves kind and apiVersion out, as the items of typed lists do.
func (e *Encoded) AppendJSON(dst []byte, t TypeMeta) []byte {
	dst = append(dst, '{')
	if t != (TypeMeta{}) {
		dst = append(dst, `"kind":`...)
		dst = appendString(dst, t.Kind)
		dst = append(dst, `,"apiVersion":`...)
		dst = appendString(dst, t.APIVersion)
		dst = append(dst, ',')
	}
	dst = append(dst, bodyPrefix[1:]...)
	dst = e.AppendVersion(dst)
	return append(dst, e.Body[len(bodyPrefix):]...)
}

// AppendVersion appends the member metadata.resourceVersion and a comma; nothing
// for version zero, that of an object which is not stored.
func (e *Encoded) AppendVersion(dst []byte) []byte {
	if e.Version == 0 {
		return dst
	}
	dst = append(dst, `"resourceVersion":"`...)
	dst = strconv.AppendUint(dst, uint64(e.Version), 10)
	return append(dst, '"', ',')
}

// Object parses the document and gives it its type and resource version. The
// result belongs to the caller.
func (e *Encoded) Object(t TypeMeta) (Object, error) {
	o, err := Decode(e.Body)
	if err != nil {
		return nil, fmt.Errorf("decoding a stored %s: %w", t.Kind, err)
	}
	o.SetType(t)
	o.SetResourceVersion(e.Version.String())
	return o, nil
}

// Clone copies the bytes, for an Encoded that must outlive what it points into.
func (e *Encoded) Clone() *Encoded {
	return &Encoded{Version: e.Version, Head: slices.Clone(e.Head), Body: slices.Clone(e.Body)}
}
