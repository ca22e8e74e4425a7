package schema

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// AppendJSON appends the schema as the API stores it: names sorted, empty fields
// left out.
func (s *Schema) AppendJSON(dst []byte) []byte {
	w := writer{}
	return w.schema(dst, s, nil)
}

// Document is the schema as a document, which shares nothing with it.
func (s *Schema) Document() map[string]any {
	o, err := object.Decode(s.AppendJSON(nil))
	if err != nil {
		panic("schema: its own JSON cannot be read: " + err.Error())
	}
	return o
}

// MarshalJSON implements [json.Marshaler].
func (s *Schema) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	return s.AppendJSON(nil), nil
}

// members appends the members of one object, a comma between.
type members struct {
	dst   []byte
	first bool
}

func begin(dst []byte) members { return members{append(dst, '{'), true} }

func (m *members) end() []byte { return append(m.dst, '}') }

func (m *members) name(name string) {
	if !m.first {
		m.dst = append(m.dst, ',')
	}
	m.first = false
	m.dst = object.AppendJSON(m.dst, name)
	m.dst = append(m.dst, ':')
}

func (m *members) value(name string, v any) {
	m.name(name)
	m.dst = object.AppendJSON(m.dst, v)
}

func (m *members) text(name, v string) {
	if v != "" {
		m.value(name, v)
	}
}

func (m *members) flag(name string, v bool) {
	if v {
		m.value(name, true)
	}
}

func (m *members) count(name string, n *int64) {
	if n != nil {
		m.value(name, *n)
	}
}

func (m *members) number(name string, f *float64) {
	if f != nil {
		m.value(name, *f)
	}
}

func (m *members) texts(name string, texts []string) {
	if len(texts) == 0 {
		return
	}
	m.name(name)
	m.dst = append(m.dst, '[')
	for i, text := range texts {
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
		m.dst = object.AppendJSON(m.dst, text)
	}
	m.dst = append(m.dst, ']')
}

func (m *members) any(name string, v any) {
	if v != nil {
		m.value(name, v)
	}
}

func (m *members) list(name string, list []any) {
	if len(list) > 0 {
		m.value(name, list)
	}
}

func (m *members) externalDocs(d *ExternalDocs) {
	if d == nil {
		return
	}
	m.name("externalDocs")
	sub := begin(m.dst)
	sub.text("description", d.Description)
	sub.text("url", d.URL)
	m.dst = sub.end()
}
