package server

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// message writes a field that is a message of fields, or a text.
func message(n protowire.Number, fields ...string) string {
	return string(appendStringField(nil, n, strings.Join(fields, "")))
}

func flagOf(n protowire.Number, b bool) string      { return string(appendBoolField(nil, n, b)) }
func integerOf(n protowire.Number, i int64) string  { return string(appendIntField(nil, n, i)) }
func numberOf(n protowire.Number, f float64) string { return string(appendDoubleField(nil, n, f)) }

func TestMessagesOfOpenAPI(t *testing.T) {
	object := message(22, message(1, "object"))
	for _, test := range []struct{ name, layout, json, want string }{
		{"nothing", "Schema", `{}`, ""},
		{"texts", "Schema", `{"$ref":"#/definitions/a","description":"d","format":"f","title":"t","pattern":"^a$"}`,
			message(1, "#/definitions/a") + message(2, "f") + message(3, "t") + message(4, "d") + message(13, "^a$")},
		{"numbers", "Schema", `{"maximum":2,"minimum":-0.5,"multipleOf":1e3}`, numberOf(6, 1000) + numberOf(7, 2) + numberOf(9, -0.5)},
		{"counts", "Schema", `{"maxItems":3,"maxLength":1,"maxProperties":5,"minItems":4,"minLength":2,"minProperties":6}`,
			integerOf(11, 1) + integerOf(12, 2) + integerOf(14, 3) + integerOf(15, 4) + integerOf(17, 5) + integerOf(18, 6)},
		{"flags", "Schema", `{"exclusiveMaximum":true,"exclusiveMinimum":true,"uniqueItems":true}`, flagOf(8, true) + flagOf(10, true) + flagOf(16, true)},
		{"a type", "Schema", `{"type":"object"}`, object},
		{"types", "Schema", `{"type":["object","null"]}`, message(22, message(1, "object"), message(1, "null"))},
		{"no types", "Schema", `{"type":[]}`, ""},
		{"lists of texts", "Schema", `{"required":["b","","a"]}`, message(19, "b") + message(19) + message(19, "a")},
		{"values", "Schema", `{"default":[1],"enum":["a",null,2],"example":{"a":true}}`,
			message(5, message(2, `[1]`)) + message(20, message(2, `"a"`)) + message(20, message(2, "null")) + message(20, message(2, "2")) + message(30, message(2, `{"a":true}`))},
		{"items", "Schema", `{"items":{"type":"object"}}`, message(23, message(1, object))},
		{"items of any type", "Schema", `{"items":{}}`, message(23, message(1))},
		{"additional properties", "Schema", `{"additionalProperties":{"type":"object"}}`, message(21, message(1, object))},
		{"any additional properties", "Schema", `{"additionalProperties":true}`, message(21, flagOf(2, true))},
		{"no additional properties", "Schema", `{"additionalProperties":false}`, message(21, flagOf(2, false))},
		{"junctors", "Schema", `{"allOf":[{"type":"object"},{}],"anyOf":[{}],"nullable":true}`, message(24, object) + message(24)},
		{"properties", "Schema", `{"properties":{"x-b":{},"a":{"type":"object"}}}`,
			message(25, message(1, message(1, "a"), message(2, object)), message(1, message(1, "x-b"), message(2)))},
		{"no properties", "Schema", `{"properties":{}}`, message(25)},
		{"documentation", "Schema", `{"externalDocs":{"description":"d","url":"u"}}`, message(29, message(1, "d"), message(2, "u"))},
		{"extensions", "Schema", `{"x-b":[{"a":"1"}],"x-a":true,"y":1}`,
			message(31, message(1, "x-a"), message(2, message(2, "true"))) + message(31, message(1, "x-b"), message(2, message(2, `[{"a":"1"}]`)))},
		{"members of wrong types", "Schema", `{"title":1,"required":{},"maximum":"1","maxLength":true,"uniqueItems":"","items":"a","allOf":{"type":[1]},"additionalProperties":1}`, message(24)},
		{"parameters", "PathItem", `{"parameters":[{"in":"path","name":"n","required":true,"type":"string"},{"in":"query","name":"q","type":"string","uniqueItems":true},` +
			`{"in":"body","name":"b","schema":{"type":"object"}},{"in":"header"},1]}`,
			message(9, message(1, message(2, message(4, flagOf(1, true), message(2, "path"), message(4, "n"), message(5, "string"))))) +
				message(9, message(1, message(2, message(3, message(2, "query"), message(4, "q"), message(6, "string"), flagOf(20, true))))) +
				message(9, message(1, message(1, message(2, "b"), message(3, "body"), message(5, object))))},
		{"paths", "Paths", `{"/a":{"get":{"operationId":"g","produces":["p","q"],"consumes":["c"],"x-a":{}}}}`,
			message(2, message(1, "/a"), message(2, message(2, message(5, "g"), message(6, "p"), message(6, "q"), message(7, "c"), message(13, message(1, "x-a"), message(2, message(2, "{}"))))))},
		{"responses", "Operation", `{"responses":{"200":{"description":"OK","schema":{"type":"object"}},"401":{"description":"no"}}}`,
			message(9, message(1, message(1, "200"), message(2, message(1, message(1, "OK"), message(2, message(1, object))))),
				message(1, message(1, "401"), message(2, message(1, message(1, "no")))))},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := messageLayouts[test.layout].append(nil, decodeOwn([]byte(test.json)))
			require.Equal(t, test.want, string(got))
		})
	}
}

func TestLayoutsAreThere(t *testing.T) {
	for name, layout := range messageLayouts {
		fields := layout.fields
		if layout.others != nil {
			fields = append(fields[:len(fields):len(fields)], *layout.others)
		}
		last := protowire.Number(0)
		for _, f := range fields {
			require.Equal(t, f.kind == messageField, f.message != "", "%s: %s", name, f.member)
			require.True(t, f.message == "" || messageLayouts[f.message] != nil, "%s: %s", name, f.member)
			require.Greater(t, f.path[0], last, "%s: %s", name, f.member)
			last = f.path[0]
		}
	}
}

func TestYAMLOfValues(t *testing.T) {
	for value, want := range map[string]string{
		"plain é \"": `"plain é \""`, "\x7f\u0085\u2028\ufeff\ufffe": `"\u007f\u0085\u2028\ufeff\ufffe"`, "\U000e0001😀": `"\U000e0001😀"`,
	} {
		require.Equal(t, message(1, message(2, want)), string(appendYAML(nil, 1, value)))
	}
}

func TestMessageOfOpenAPIIsWhole(t *testing.T) {
	s := describedServer(t)
	w := get(t, s, "/openapi/v2", "Accept", typeOldSwagger)
	var names []string
	for f, err := range messageFields(w.Body.Bytes()) {
		require.NoError(t, err)
		if f.number != swaggerPaths && f.number != swaggerDefinitions {
			names = append(names, string(f.bytes))
			continue
		}
		for entry, err := range messageFields(f.bytes) {
			require.NoError(t, err)
			for part, err := range messageFields(entry.bytes) {
				require.NoError(t, err)
				names = append(names, string(part.bytes))
				break
			}
		}
	}
	require.Equal(t, []string{"2.0", message(1, "Kubernetes") + message(2, "v1.37.0")}, names[:2])
	require.Subset(t, names, []string{"/api/v1/configmaps", "/apis/example.com/v1beta1/things/{name}/status", "io.k8s.api.core.v1.ConfigMap", "com.example.v1.ThingList", schemaObjectMeta})
}

func TestAcceptOfOpenAPI(t *testing.T) {
	s := describedServer(t)
	for _, test := range []struct{ accept, want string }{
		{"", typeJSON},
		{"*/*", typeJSON},
		{"application/*", typeJSON},
		{"application/json, application/yaml", typeJSON},
		{typeSwagger, typeSwagger},
		{typeOldSwagger, typeSwagger},
		{typeOldSwagger + ";q=0", typeSwagger},
		{typeOldSwagger + ",application/json", typeSwagger},
		{"application/json," + typeOldSwagger, typeJSON},
		{"application/json;q=0.5," + typeOldSwagger + ";q=0.9", typeSwagger},
		{"application/json;q=0.9," + typeOldSwagger + ";q=0.5", typeJSON},
		{"application/*," + typeOldSwagger, typeSwagger},
		{"*/*;q=0.5," + typeOldSwagger + ";q=0.4", typeSwagger},
		{"text/plain," + typeSwagger, typeSwagger},
		{"text/plain", ""},
		{"APPLICATION/JSON", ""},
	} {
		w := get(t, s, "/openapi/v2", "Accept", test.accept)
		require.Equal(t, test.want, w.Header().Get("Content-Type"), test.accept)
		require.Contains(t, w.Header().Values("Vary"), "Accept")
		if test.want == "" {
			require.Equal(t, http.StatusNotAcceptable, w.Code, test.accept)
			continue
		}
		tag := w.Header().Get("ETag")
		require.Equal(t, http.StatusNotModified, get(t, s, "/openapi/v2", "Accept", test.accept, "If-None-Match", tag).Code, test.accept)
	}
}

func TestMessageOfOpenAPIFollowsTheResources(t *testing.T) {
	s := describedServer(t)
	ask := func() string { return get(t, s, "/openapi/v2", "Accept", typeSwagger).Header().Get("ETag") }
	before := ask()
	doc := s.swagger(typeSwagger)
	require.Same(t, doc, s.swagger(typeSwagger), "it is made once")
	set, err := s.resources.Load().with(Resource{Group: "more.example.com", Plural: "others", Kind: "Other", Versions: []Version{{Name: "v1"}}})
	require.NoError(t, err)
	s.resources.Store(set)
	require.NotEqual(t, before, ask())
	require.Contains(t, get(t, s, "/openapi/v2", "Accept", typeSwagger).Body.String(), "com.example.more.v1.Other")
}

func TestLargeDocumentsGoCompressed(t *testing.T) {
	doc := newOpenAPIDocument([]byte(strings.Repeat("a", compressFrom+1)))
	for _, test := range []struct {
		name     string
		method   string
		headers  http.Header
		code     int
		encoding string
	}{
		{"whole", http.MethodGet, http.Header{}, 200, "gzip"},
		{"known", http.MethodGet, http.Header{"If-None-Match": {`"` + doc.hash + `"`}}, 304, ""},
		{"in part", http.MethodGet, http.Header{"Range": {"bytes=0-9"}}, 206, ""},
		{"head", http.MethodHead, http.Header{}, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, r := httptest.NewRecorder(), httptest.NewRequest(test.method, "/openapi/v2", nil)
			r.Header = test.headers.Clone()
			r.Header.Set("Accept-Encoding", "gzip")
			doc.serve(w, r)
			require.Equal(t, test.code, w.Code)
			require.Equal(t, test.encoding, w.Header().Get("Content-Encoding"))
			if test.encoding != "" {
				z, err := gzip.NewReader(w.Body)
				require.NoError(t, err)
				data, err := io.ReadAll(z)
				require.NoError(t, err)
				require.Equal(t, string(doc.data), string(data))
				require.Empty(t, w.Header().Get("Content-Length"))
			}
		})
	}
}

func FuzzMessageOfOpenAPI(f *testing.F) {
	f.Add("Schema", []byte(`{"type":"object","properties":{"a":{"enum":[1,"b"],"maximum":1e300}},"x-a":{"b":"\u0085"}}`))
	f.Add("Paths", []byte(`{"/a":{"get":{"parameters":[{"in":"query","name":"a"}],"responses":{"200":{"description":"OK"}}}}}`))
	f.Fuzz(func(t *testing.T, layout string, data []byte) {
		v, err := object.DecodeValue(data)
		m, ok := v.(map[string]any)
		if err != nil || !ok || messageLayouts[layout] == nil {
			return
		}
		for _, err := range messageFields(messageLayouts[layout].append(nil, m)) {
			require.NoError(t, err)
		}
	})
}
