package schema

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// dice makes random schemas and values.
type dice struct{ *rand.Rand }

func (d dice) of(n int) bool { return d.IntN(n) == 0 }

func (d dice) name() string { return string(rune('a' + d.IntN(5))) }

func (d dice) schema(depth int) map[string]any {
	s := map[string]any{}
	switch kind := d.IntN(6); {
	case kind < 2 && depth > 0:
		s["type"] = "object"
		if d.of(4) {
			s["additionalProperties"] = d.schema(depth - 1)
			break
		}
		properties := map[string]any{}
		for range 1 + d.IntN(4) {
			properties[d.name()] = d.schema(depth - 1)
		}
		s["properties"] = properties
	case kind == 2 && depth > 0:
		s["type"], s["items"] = "array", d.schema(depth-1)
	case kind == 3:
		s["type"] = "integer"
	case kind == 4:
		s["x-kubernetes-int-or-string"] = true
	default:
		s["type"], s["maxLength"] = "string", int64(d.IntN(3))
	}
	for field, odds := range map[string]int{"nullable": 5, "x-kubernetes-preserve-unknown-fields": 8, "x-kubernetes-embedded-resource": 12} {
		if d.of(odds) {
			s[field] = true
		}
	}
	if d.of(3) {
		s["default"] = d.value(2)
	}
	if d.of(6) {
		s["anyOf"] = []any{map[string]any{"minimum": int64(2)}, map[string]any{"minLength": int64(1), "required": []any{d.name()}}}
	}
	return s
}

func (d dice) value(depth int) any {
	switch kind := d.IntN(8); {
	case kind < 3 && depth > 0:
		m := map[string]any{}
		for range d.IntN(5) {
			m[d.name()] = d.value(depth - 1)
		}
		return m
	case kind == 3 && depth > 0:
		list := []any{}
		for range d.IntN(4) {
			list = append(list, d.value(depth-1))
		}
		return list
	case kind == 4:
		return nil
	case kind == 5:
		return int64(d.IntN(5))
	}
	return d.name()
}

// TestShapingTwiceIsShapingOnce holds for any schema: what is pruned has nothing to
// prune, and what has its defaults gets no more, pruned again or not.
func TestShapingTwiceIsShapingOnce(t *testing.T) {
	for seed := range uint64(3000) {
		d := dice{rand.New(rand.NewPCG(seed, 0))}
		doc := d.schema(4)
		s, err := Parse(doc)
		require.NoError(t, err)
		s = s.WithPrunedDefaults()
		o, ok := d.value(5).(map[string]any)
		if !ok {
			continue
		}
		say := fmt.Sprintf("seed %d: %s of %s", seed, object.AppendJSON(nil, doc), object.AppendJSON(nil, o))

		s.Prune(o, false)
		s.PruneNulls(o)
		once := clone(o)
		require.Empty(t, s.Prune(o, true), say)
		s.PruneNulls(o)
		require.Equal(t, once, o, say)

		s.SetDefaults(o)
		once = clone(o)
		s.SetDefaults(o)
		require.Equal(t, once, o, say)
	}
}

// TestUpdatesAreNoStricterThanCreates holds for any schema, and an update that changes
// nothing the schema knows of is fine.
func TestUpdatesAreNoStricterThanCreates(t *testing.T) {
	for seed := range uint64(2000) {
		d := dice{rand.New(rand.NewPCG(seed, 1))}
		doc := d.schema(4)
		s, err := Parse(doc)
		require.NoError(t, err)
		value, old := d.value(5), d.value(5)
		say := fmt.Sprintf("seed %d: %s of %s after %s", seed, object.AppendJSON(nil, doc), object.AppendJSON(nil, value), object.AppendJSON(nil, old))
		require.Subset(t, messages(s.Validate(value, "x")), messages(s.ValidateUpdate(value, old, "x")), say)
		require.Equal(t, len(s.Validate(value, "x")) == 0, s.accepts(value), say)
	}
}

func FuzzSchema(f *testing.F) {
	for _, seed := range []string{typical, bell, `{"items":[{}]}`, `{"properties":{"a":{"default":{"b":1},"pattern":"("}}}`, `{"type":5}`} {
		f.Add([]byte(seed), []byte(typicalObject), []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, schemaText, text, oldText []byte) {
		doc, err := object.Decode(schemaText)
		if err != nil {
			return
		}
		s, err := Parse(doc)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		written := string(s.AppendJSON(nil))
		again, err := Parse(document(t, written))
		require.NoError(t, err)
		if !strings.Contains(written, ":null") { // as the API writes some fields that it can't read again
			require.Equal(t, written, string(again.AppendJSON(nil)))
		}
		report := s.Check("s", CheckOptions{Status: true})
		for _, e := range report.Errors() {
			require.NotEmpty(t, e.Error())
		}
		document(t, string(s.AppendOpenAPIV3(nil, Published{})))
		document(t, string(s.AppendOpenAPIV2(nil, Published{})))

		o, err := object.Decode(text)
		if err != nil {
			return
		}
		old, err := object.Decode(oldText)
		if err != nil {
			return
		}
		s.Prune(o, true)
		require.Empty(t, s.Prune(o, true))
		s.PruneNulls(o)
		_, _ = s.Coerce(o, "", true)
		s.SetDefaults(o)
		require.Equal(t, s.accepts(map[string]any(o)), len(s.Validate(o, "")) == 0)
		s.ValidateUpdate(o, old, "")
		s.ValidateEmbedded(o, "")
		s.ValidateLists(o, "")
	})
}

func FuzzFieldPath(f *testing.F) {
	s := parse(f, typical)
	for _, path := range []string{".spec", "['spec'].replicas", ".spec.selector['a.b']", "[", ".", "'"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if field, found, err := s.FieldPath(path); err == nil && path != "" {
			require.NotEmpty(t, field)
			require.NotNil(t, found)
		}
	})
}
