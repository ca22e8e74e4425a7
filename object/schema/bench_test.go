package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// typical is a schema as controllers have it: some forty fields, four deep.
const typical = `{"type":"object","required":["spec"],"properties":{
 "apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},
 "spec":{"type":"object","required":["replicas","containers"],"properties":{
  "replicas":{"type":"integer","format":"int32","minimum":0,"maximum":100,"default":1},
  "paused":{"type":"boolean"},
  "strategy":{"type":"string","enum":["Rolling","Recreate"],"default":"Rolling"},
  "maxSurge":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
  "host":{"type":"string","format":"hostname","maxLength":253},
  "start":{"type":"string","format":"date-time"},
  "selector":{"type":"object","additionalProperties":{"type":"string","maxLength":63,"pattern":"^[a-z0-9.-]*$"}},
  "containers":{"type":"array","maxItems":10,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
   "items":{"type":"object","required":["name","image"],"properties":{
    "name":{"type":"string","minLength":1,"maxLength":63},"image":{"type":"string"},
    "args":{"type":"array","items":{"type":"string"}},
    "pull":{"type":"string","enum":["Always","Never"],"default":"Always"},
    "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
     "items":{"type":"object","required":["port"],"properties":{
      "port":{"type":"integer","minimum":1,"maximum":65535},"protocol":{"type":"string","default":"TCP"}}}},
    "env":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}}}}}},
  "either":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]},
  "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}},
 "status":{"type":"object","properties":{"ready":{"type":"integer"},"phase":{"type":"string"}}}}}`

const typicalObject = `{"apiVersion":"example.com/v1","kind":"App","metadata":{"name":"web","labels":{"app":"web"}},
 "spec":{"replicas":3,"paused":false,"strategy":"Rolling","maxSurge":"25%","host":"www.example.com","start":"2024-05-06T07:08:09Z",
  "selector":{"app":"web","tier":"front"},
  "containers":[
   {"name":"web","image":"nginx","args":["-g","daemon off"],"pull":"Always","ports":[{"port":80,"protocol":"TCP"},{"port":443,"protocol":"TCP"}],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]},
   {"name":"log","image":"fluent","pull":"Never","ports":[{"port":2020,"protocol":"TCP"}]}],
  "either":{"a":"x"},"tags":["a","b","c"]},
 "status":{"ready":3,"phase":"Running"}}`

func TestValidObjectsCostNoGarbage(t *testing.T) {
	s, o := parse(t, typical), document(t, typicalObject)
	require.Empty(t, s.Validate(o, ""))
	allocs := testing.AllocsPerRun(100, func() {
		s.Prune(o, true)
		s.PruneNulls(o)
		s.SetDefaults(o)
		s.Validate(o, "")
		s.ValidateEmbedded(o, "")
		s.ValidateLists(o, "")
	})
	require.LessOrEqual(t, allocs, 6.0)
}

func BenchmarkObject(b *testing.B) {
	s, o := parse(b, typical), document(b, typicalObject)
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Prune", func() { s.Prune(o, true) }},
		{"PruneNulls", func() { s.PruneNulls(o) }},
		{"SetDefaults", func() { s.SetDefaults(o) }},
		{"Validate", func() { s.Validate(o, "") }},
		{"ValidateUpdate", func() { s.ValidateUpdate(o, o, "") }},
		{"ValidateLists", func() { s.ValidateLists(o, "") }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.do()
			}
		})
	}
}

// wide is a schema of about half a mebibyte.
func wide() string {
	var text strings.Builder
	text.WriteString(`{"type":"object","properties":{`)
	for i := range 300 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `"field%d":`, i)
		text.WriteString(strings.ReplaceAll(typical, `{"type":"string"}`, fmt.Sprintf(`{"type":"string","description":"text %d"}`, i)))
	}
	text.WriteString(`}}`)
	return text.String()
}

func BenchmarkSchema(b *testing.B) {
	text := wide()
	doc := document(b, text)
	s, err := Parse(doc)
	require.NoError(b, err)
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Parse", func() { Parse(doc) }},
		{"Check", func() { s.Check("schema", CheckOptions{}) }},
		{"AppendJSON", func() { s.AppendJSON(nil) }},
		{"AppendOpenAPIV2", func() { s.AppendOpenAPIV2(nil, Published{Kind: object.GroupVersionKind{Kind: "A"}}) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				step.do()
			}
		})
	}
}
