package definition

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Decode gives the document of a definition the form that the API's Go type gives it,
// in place: unknown fields are gone, and their paths returned as a strict reader
// reports them, nulls and empty values are as the type writes them. What cannot be
// decoded is an error in the words of encoding/json, and the document is then in no
// certain state.
func Decode(o object.Object) (unknown []string, err error) {
	var d decoder
	d.structure("CustomResourceDefinition", place{}, o)
	dropEmptyWebhook(o)
	return d.unknown, d.err
}

// dropEmptyWebhook removes a webhook of which nothing is given: the form in which the
// API works with definitions has no place for it.
func dropEmptyWebhook(o object.Object) {
	conversion := node(o).node("spec").node("conversion")
	if webhook := conversion.node("webhook"); webhook != nil && webhook["clientConfig"] == nil && webhook["conversionReviewVersions"] == nil {
		delete(conversion, "webhook")
	}
}

// decoder goes through a document by the fields of its type. The first error, in the
// order of the names, counts.
type decoder struct {
	pool    schema.Pool
	unknown []string
	err     error
}

// place is where a value stands in the document.
type place struct {
	goType string // of the structure around it
	path   string // with indices
	fields string // without
}

func (p place) field(goType, name string) place {
	return place{goType, dotted(p.path, name), dotted(p.fields, name)}
}

func (p place) item(i int) place {
	p.path += "[" + strconv.Itoa(i) + "]"
	return p
}

func dotted(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (d *decoder) structure(goType string, p place, m map[string]any) {
	fields := fieldsOf(goType)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		f, ok := fields[name]
		at := p.field(goType, name)
		if !ok {
			d.unknown = append(d.unknown, at.path)
			delete(m, name)
			continue
		}
		if m[name] == nil {
			delete(m, name)
			continue
		}
		value := d.value(f, at, m[name])
		if value == nil || !f.keeps && isEmpty(value) {
			delete(m, name)
			continue
		}
		m[name] = value
	}
	for name, f := range fields {
		if _, ok := m[name]; !ok && f.must {
			m[name] = f.zero()
		}
	}
}

// zero is what a field that is always there has if it isn't set.
func (f field) zero() any {
	switch {
	case f.list:
	case f.of != "":
		m := map[string]any{}
		new(decoder).structure(f.of, place{}, m)
		return m
	case f.kind == goBool:
		return false
	case f.kind == goMeta:
		return map[string]any{}
	case f.kind != goStrings && f.kind != goTime:
		return ""
	}
	return nil
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// value gives the form of a value that is not null; nil for none.
func (d *decoder) value(f field, p place, v any) any {
	switch {
	case f.list:
		return d.list(f, p, v)
	case f.of != "":
		m, ok := v.(map[string]any)
		if !ok {
			d.mistyped(p, v, "v1."+f.of)
			return nil
		}
		d.structure(f.of, p, m)
		return m
	}
	switch f.kind {
	case goMeta:
		return d.metadata(p, v)
	case goSchema:
		return d.schema(p, v)
	case goStrings:
		return d.texts(p, v)
	case goBool:
		if _, ok := v.(bool); ok {
			return v
		}
	case goInt32, goInt64:
		return d.number(f.kind, p, v)
	default:
		if s, ok := v.(string); ok {
			return d.text(f.kind, s)
		}
	}
	d.mistyped(p, v, f.kind.named())
	return nil
}

// named is how messages name the type where a text is wanted.
func (k goKind) named() string {
	if k == goTime {
		return string(goString)
	}
	return string(k)
}

func (d *decoder) text(k goKind, s string) any {
	var err error
	switch k {
	case goTime:
		var t time.Time
		if t, err = time.Parse(time.RFC3339, s); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	case goBytes:
		var data []byte
		if data, err = base64.StdEncoding.DecodeString(s); err == nil {
			return base64.StdEncoding.EncodeToString(data)
		}
	default:
		return s
	}
	d.fail(err)
	return nil
}

func (d *decoder) number(k goKind, p place, v any) any {
	if n, ok := v.(int64); ok && (k == goInt64 || n == int64(int32(n))) {
		return n
	}
	d.mistyped(p, v, string(k))
	return nil
}

func (d *decoder) texts(p place, v any) any {
	list, ok := v.([]any)
	if !ok {
		d.mistyped(p, v, string(goStrings))
		return nil
	}
	for i, x := range list {
		switch x.(type) {
		case string:
		case nil:
			list[i] = ""
		default:
			d.mistyped(p, x, string(goString))
		}
	}
	return list
}

func (d *decoder) list(f field, p place, v any) any {
	list, ok := v.([]any)
	if !ok {
		d.mistyped(p, v, "[]v1."+f.of)
		return nil
	}
	for i, x := range list {
		if x == nil {
			x = map[string]any{}
		}
		m, ok := x.(map[string]any)
		if !ok {
			d.mistyped(p, x, "v1."+f.of)
			continue
		}
		d.structure(f.of, p.item(i), m)
		list[i] = m
	}
	return list
}

func (d *decoder) metadata(p place, v any) any {
	o := object.Object{"metadata": v}
	unknown, err := object.NormalizeMeta(o)
	if err != nil {
		// The API decodes all of it at once, so that the path begins at the root.
		before, after, found := strings.Cut(err.Error(), "Go struct field ")
		goType, rest, isField := strings.Cut(after, ".")
		switch {
		case found && isField:
			err = errors.New(before + "Go struct field " + goType + ".metadata." + rest)
		case strings.Contains(err.Error(), "Go value of type"):
			d.mistyped(p, v, string(goMeta))
			return nil
		}
		d.fail(err)
	}
	d.unknown = append(d.unknown, unknown...)
	return o["metadata"]
}

func (d *decoder) schema(p place, v any) any {
	doc, ok := v.(map[string]any)
	if !ok {
		d.mistyped(p, v, string(goSchema))
		return nil
	}
	s, unknown, err := d.pool.Parse(doc)
	if err != nil {
		var wrong *schema.TypeError
		if errors.As(err, &wrong) {
			err = errors.New(wrong.In(p.fields))
		}
		d.fail(err)
		return nil
	}
	for _, path := range unknown {
		d.unknown = append(d.unknown, dotted(p.path, path))
	}
	return s.Document()
}

func (d *decoder) mistyped(p place, v any, want string) {
	d.fail(fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", jsonType(v, want), p.goType, p.fields, want))
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// jsonType names the type of a value as encoding/json does, which shows numbers that
// are none of the wanted kind.
func jsonType(v any, want string) string {
	kind := object.JSONType(v)
	if kind == "number" && (want == string(goInt32) || want == string(goInt64)) {
		kind += " " + string(object.AppendJSON(nil, v))
	}
	return kind
}
