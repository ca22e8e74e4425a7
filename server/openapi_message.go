package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The document of /openapi/v2 as a message of protobuf. What it holds is what it
// holds in JSON, but for members that the message has no field for.

// appendSwaggerMessage appends the whole document. No more of it than a version's
// paths, or one definition, is taken apart at a time.
func (o *openAPI) appendSwaggerMessage(dst []byte, version VersionInfo) []byte {
	paths, definitions := o.swaggerPieces()
	dst = messageLayouts["Document"].append(dst, map[string]any{"swagger": "2.0", "info": openAPIInfo(version)})
	dst = appendMessage(dst, swaggerPaths, func(dst []byte) []byte {
		for _, members := range paths {
			dst = messageLayouts["Paths"].append(dst, decodeOwn(slices.Concat([]byte{'{'}, members, []byte{'}'})))
		}
		return dst
	})
	return appendMessage(dst, swaggerDefinitions, func(dst []byte) []byte {
		for _, name := range slices.Sorted(maps.Keys(definitions.all)) {
			one := map[string]any{name: decodeOwn(definitions.all[name].json)}
			dst = messageLayouts["Schemas"].append(dst, one)
		}
		return dst
	})
}

// decodeOwn decodes what this package encoded.
func decodeOwn(data []byte) map[string]any {
	v, err := object.DecodeValue(data)
	if err != nil {
		panic(err)
	}
	return v.(map[string]any)
}

// messageLayout says where the members of an object of JSON go in a message.
type messageLayout struct {
	fields     []fieldLayout    // of members with these names, by number
	extensions protowire.Number // of members whose names begin with "x-", if there is such a field
	others     *fieldLayout     // of all other members: a map, each of whose entries is a message with name and value
}

// wirePath are the numbers of a field: one or, where a message stands in others that
// say nothing more, as those of a choice do, those of all, from without.
type wirePath []protowire.Number

// fieldLayout is a field of a message.
type fieldLayout struct {
	member  string
	kind    fieldKind
	message string // the layout of the values that are messages
	path    wirePath
}

// fieldKind says what values a field has.
type fieldKind uint8

const (
	textField       fieldKind = iota // a text, or several
	flagField                        // true or false
	integerField                     // a whole number
	numberField                      // any number
	valueField                       // anything, as YAML
	valuesField                      // a list of anything
	messageField                     // a message, or several
	schemaOrFlag                     // a schema, or whether there may be anything
	parametersField                  // parameters, whose layouts depend on where they stand in a request
)

// append appends what a message has of an object.
func (l *messageLayout) append(dst []byte, m map[string]any) []byte {
	for i := range l.fields {
		if v, ok := m[l.fields[i].member]; ok {
			dst = l.fields[i].append(dst, v)
		}
	}
	if l.extensions == 0 && l.others == nil {
		return dst
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch {
		case l.extensions != 0 && strings.HasPrefix(name, "x-"):
			entry := fieldLayout{kind: valueField, path: wirePath{2}}
			dst = appendNamed(dst, l.extensions, name, func(dst []byte) []byte { return entry.append(dst, m[name]) })
		case l.others != nil:
			dst = l.others.appendEntry(dst, name, m[name])
		}
	}
	return dst
}

// appendEntry appends an entry of a map. The first number of the path is that of the
// map, the others lead to the value.
func (f *fieldLayout) appendEntry(dst []byte, name string, v any) []byte {
	value := *f
	value.path = f.path[1:]
	return appendNamed(dst, f.path[0], name, func(dst []byte) []byte { return value.append(dst, v) })
}

// appendNamed appends a message of a name and what value appends.
func appendNamed(dst []byte, n protowire.Number, name string, value func(dst []byte) []byte) []byte {
	return appendMessage(dst, n, func(dst []byte) []byte { return value(appendStringField(dst, 1, name)) })
}

// append appends a field; one with a value of another kind is left out.
func (f *fieldLayout) append(dst []byte, v any) []byte {
	last := len(f.path) - 1
	return appendWithin(dst, f.path[:last], func(dst []byte) []byte {
		switch f.kind {
		case valueField:
			return appendYAML(dst, f.path[last], v)
		case textField, messageField, valuesField, parametersField:
			if list, ok := v.([]any); ok {
				for _, item := range list {
					dst = f.appendValue(dst, f.path[last], item)
				}
				return dst
			}
		}
		return f.appendValue(dst, f.path[last], v)
	})
}

// appendWithin appends messages that hold nothing but each other, and the last of
// them what body appends. If that is nothing there are no messages.
func appendWithin(dst []byte, path wirePath, body func(dst []byte) []byte) []byte {
	if len(path) == 0 {
		return body(dst)
	}
	before := len(dst)
	dst = appendMessage(dst, path[0], func(dst []byte) []byte { return appendWithin(dst, path[1:], body) })
	if len(dst) == before+protowire.SizeTag(path[0])+1 {
		return dst[:before]
	}
	return dst
}

// appendValue appends one value.
func (f *fieldLayout) appendValue(dst []byte, n protowire.Number, v any) []byte {
	if f.kind == valuesField {
		return appendYAML(dst, n, v)
	}
	switch v := v.(type) {
	case string:
		if f.kind == textField {
			return appendStringField(dst, n, v)
		}
	case bool:
		switch f.kind {
		case flagField:
			return appendBoolField(dst, n, v)
		case schemaOrFlag:
			return appendMessage(dst, n, func(dst []byte) []byte { return appendBoolField(dst, 2, v) })
		}
	case int64:
		return f.appendNumber(dst, n, v, float64(v))
	case float64:
		return f.appendNumber(dst, n, int64(v), v)
	case map[string]any:
		return f.appendObject(dst, n, v)
	}
	return dst
}

func (f *fieldLayout) appendNumber(dst []byte, n protowire.Number, whole int64, number float64) []byte {
	switch f.kind {
	case integerField:
		return appendIntField(dst, n, whole)
	case numberField:
		return appendDoubleField(dst, n, number)
	}
	return dst
}

func (f *fieldLayout) appendObject(dst []byte, n protowire.Number, m map[string]any) []byte {
	switch f.kind {
	case messageField:
		return appendMessage(dst, n, func(dst []byte) []byte { return messageLayouts[f.message].append(dst, m) })
	case schemaOrFlag:
		schema := fieldLayout{kind: messageField, message: "Schema", path: wirePath{n, 1}}
		return schema.append(dst, m)
	case parametersField:
		in, _ := m["in"].(string)
		if place, ok := parameterPlaces[in]; ok {
			place.path = append(wirePath{n}, place.path...)
			return place.append(dst, m)
		}
	}
	return dst
}

// appendYAML appends a message that holds a value as YAML. JSON is YAML, if what YAML
// takes for no letter is escaped.
func appendYAML(dst []byte, n protowire.Number, v any) []byte {
	text := object.AppendJSON(nil, v)
	return appendMessage(dst, n, func(dst []byte) []byte { return appendStringField(dst, 2, escapeForYAML(string(text))) })
}

func escapeForYAML(text string) string {
	if strings.IndexFunc(text, needsEscape) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !needsEscape(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

func needsEscape(r rune) bool { return !unicode.IsPrint(r) }
