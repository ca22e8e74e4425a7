package apply_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

const boxSchema = `{"type":"object","properties":{
	"status":{"type":"object","properties":{"ready":{"type":"boolean"}}},
	"spec":{"type":"object","properties":{
		"size":{"type":"integer"},
		"colour":{"type":"string"},
		"steps":{"type":"array","items":{"type":"string"}},
		"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
		"point":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"integer"}},
		"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
		"amount":{"x-kubernetes-int-or-string":true},
		"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],
			"items":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"size":{"type":"integer"}}}},
		"slots":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["row","side"],
			"items":{"type":"object","properties":{"row":{"type":"integer"},"side":{"type":"string","default":"left"},"label":{"type":"string"}}}}
	}}}}`

func boxType(t testing.TB) *apply.Type {
	t.Helper()
	s, err := schema.Parse(decode(t, boxSchema))
	require.NoError(t, err)
	return apply.NewType(s)
}

// boxes merges objects of versions v1 and v2, which differ in the name of one field.
func boxes(t testing.TB, version string) *apply.Merger {
	v1, v2 := boxType(t), func() *apply.Type {
		s, err := schema.Parse(decode(t, strings.Replace(boxSchema, `"size":`, `"length":`, 1)))
		require.NoError(t, err)
		return apply.NewType(s)
	}()
	return &apply.Merger{
		Kind: object.GroupVersionKind{Group: "example.com", Version: version, Kind: "Box"},
		Type: func(apiVersion string) *apply.Type {
			return map[string]*apply.Type{"example.com/v1": v1, "example.com/v2": v2}[apiVersion]
		},
		Convert: convertBox,
	}
}

func convertBox(o object.Object, apiVersion string) (object.Object, error) {
	o = o.DeepCopy()
	o["apiVersion"] = apiVersion
	spec, _ := o["spec"].(map[string]any)
	from, to := "length", "size"
	if apiVersion == "example.com/v2" {
		from, to = to, from
	}
	if v, ok := spec[from]; ok {
		delete(spec, from)
		spec[to] = v
	}
	return o, nil
}

// op is one write of a test. Its body lacks what all boxes have.
type op struct {
	verb  string // apply, force or update
	by    string // who writes, "NAME/SUBRESOURCE" to a subresource
	body  string
	fails string // the message it fails with
}

// box is an object as it goes through writes. Each takes a second.
type box struct {
	object object.Object
	at     time.Time
	merger *apply.Merger
}

func newBox(t testing.TB) *box {
	return &box{merger: boxes(t, "v1"), at: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func (b *box) do(t testing.TB, o op) (changed bool, err error) {
	t.Helper()
	body := decode(t, o.body)
	body["kind"], body["apiVersion"] = "Box", b.merger.Kind.GroupVersion().String()
	body.SetName("a")
	b.at = b.at.Add(time.Second)
	manager, subresource, _ := strings.Cut(o.by, "/")
	w := apply.Writer{Manager: manager, Subresource: subresource, Now: b.at}
	live := b.object
	before := live.DeepCopy()
	defer func() { require.Equal(t, before, live, "the object before is not changed") }()
	if o.verb == "update" {
		if b.object != nil {
			body.SetUID("u")
		}
		err = b.merger.Track(b.object, body, w)
		b.object = body
		return true, err
	}
	next, changed, err := b.merger.Apply(b.object, body, w, o.verb == "force")
	if err != nil {
		return false, err
	}
	if changed {
		next.SetUID("u")
		b.object = next
	}
	return changed, nil
}

// owners gives the owners, a line each: who, how, which fields.
func ownersOf(o object.Object) string {
	var lines []string
	list, _ := o.Metadata()["managedFields"].([]any)
	for _, v := range list {
		entry := v.(map[string]any)
		name := entry["manager"].(string)
		if s, ok := entry["subresource"]; ok {
			name += "/" + s.(string)
		}
		fields, _ := entry["fieldsV1"].(map[string]any)
		lines = append(lines, fmt.Sprintf("%s %s %s", name, entry["operation"], strings.Join(flatten("", fields), " ")))
	}
	return strings.Join(lines, "\n")
}

func flatten(prefix string, fields map[string]any) (paths []string) {
	for name, v := range fields {
		path := prefix
		switch {
		case name == ".":
		case name[0] == 'f':
			path += "." + name[2:]
		default:
			path += "[" + name[2:] + "]"
		}
		if below, _ := v.(map[string]any); len(below) > 0 {
			paths = append(paths, flatten(path, below)...)
		} else {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

type ownershipCase struct {
	name   string
	ops    []op
	spec   string // what the object has in the end
	owners string
}

func checkOwnership(t *testing.T, tests []ownershipCase) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t)
			for i, o := range tt.ops {
				_, err := b.do(t, o)
				if o.fails != "" {
					require.EqualError(t, err, o.fails, "operation %d", i)
					continue
				}
				require.NoError(t, err, "operation %d", i)
			}
			require.Equal(t, tt.spec, string(object.AppendJSON(nil, b.object["spec"])))
			require.Equal(t, tt.owners, ownersOf(b.object))
		})
	}
}

func TestOwnershipOfFields(t *testing.T) {
	checkOwnership(t, []ownershipCase{
		{"who applies owns what the configuration says",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1}}`}},
			`{"size":1}`, "one Apply .spec.size"},
		{"who updates owns what changed",
			[]op{{verb: "update", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`}, {verb: "update", by: "two", body: `{"spec":{"size":2,"colour":"red"}}`}},
			`{"colour":"red","size":2}`, "one Update .spec .spec.colour\ntwo Update .spec.size"},
		{"the same value is shared",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1}}`}, {verb: "apply", by: "two", body: `{"spec":{"size":1,"colour":"red"}}`}},
			`{"colour":"red","size":1}`, "one Apply .spec.size\ntwo Apply .spec.colour .spec.size"},
		{"another value is a conflict",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1}}`},
				{verb: "apply", by: "two", body: `{"spec":{"size":2}}`, fails: `Apply failed with 1 conflict: conflict with "one": .spec.size`}},
			`{"size":1}`, "one Apply .spec.size"},
		{"force takes the field",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`}, {verb: "force", by: "two", body: `{"spec":{"size":2}}`}},
			`{"colour":"red","size":2}`, "one Apply .spec.colour\ntwo Apply .spec.size"},
		{"who lost a field conflicts when applying it again",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1}}`}, {verb: "force", by: "two", body: `{"spec":{"size":2}}`},
				{verb: "apply", by: "one", body: `{"spec":{"size":1}}`, fails: `Apply failed with 1 conflict: conflict with "two": .spec.size`}},
			`{"size":2}`, "two Apply .spec.size"},
		{"a field that is given up goes",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`}, {verb: "apply", by: "one", body: `{"spec":{"size":1}}`}},
			`{"size":1}`, "one Apply .spec.size"},
		{"a field that is given up stays with another owner",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`}, {verb: "apply", by: "two", body: `{"spec":{"colour":"red"}}`},
				{verb: "apply", by: "one", body: `{"spec":{"size":1}}`}},
			`{"colour":"red","size":1}`, "two Apply .spec.colour\none Apply .spec.size"},
		{"an update takes fields from who applied them",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`}, {verb: "update", by: "two", body: `{"spec":{"size":2,"colour":"red"}}`},
				{verb: "apply", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`, fails: `Apply failed with 1 conflict: conflict with "two" using example.com/v1: .spec.size`}},
			`{"colour":"red","size":2}`, "one Apply .spec.colour\ntwo Update .spec.size"},
		{"the same manager on a subresource is another owner",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1}}`}, {verb: "apply", by: "one/scale", body: `{"spec":{"size":2}}`, fails: `Apply failed with 1 conflict: conflict with "one": .spec.size`},
				{verb: "force", by: "one/scale", body: `{"spec":{"size":2}}`}},
			`{"size":2}`, "one/scale Apply .spec.size"},
		{"conflicts name all owners",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"size":1,"colour":"red"}}`}, {verb: "apply", by: "two/scale", body: `{"spec":{"amount":1}}`},
				{verb: "apply", by: "three", body: `{"spec":{"size":3,"colour":"blue","amount":3}}`,
					fails: "Apply failed with 3 conflicts: conflicts with \"one\":\n- .spec.colour\n- .spec.size\nconflicts with \"two\" with subresource \"scale\":\n- .spec.amount"}},
			`{"amount":1,"colour":"red","size":1}`, "one Apply .spec.colour .spec.size\ntwo/scale Apply .spec.amount"},
		{"what nobody accounted for belongs to before-first-apply",
			[]op{{verb: "update", by: "one", body: `{"metadata":{"managedFields":[]},"spec":{"size":1}}`},
				{verb: "update", by: "one", body: `{"metadata":{"managedFields":[{}]},"spec":{"size":1}}`},
				{verb: "apply", by: "two", body: `{"spec":{"size":2}}`, fails: `Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.size`},
				{verb: "apply", by: "two", body: `{"spec":{"colour":"red"}}`}},
			`{"colour":"red","size":1}`, "two Apply .spec.colour\nbefore-first-apply Update .spec .spec.size"},
	})
}

func TestOwnershipOfListsAndMaps(t *testing.T) {
	checkOwnership(t, []ownershipCase{
		{"a plain list is owned as a whole",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"steps":["a"]}}`}, {verb: "force", by: "two", body: `{"spec":{"steps":["b"]}}`}},
			`{"steps":["b"]}`, "two Apply .spec.steps"},
		{"a set is owned by its items",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"tags":["a","b"]}}`}, {verb: "apply", by: "two", body: `{"spec":{"tags":["b","c"]}}`},
				{verb: "apply", by: "one", body: `{"spec":{"tags":[]}}`}},
			`{"tags":["b","c"]}`, "two Apply .spec.tags[\"b\"] .spec.tags[\"c\"]"},
		{"a list of type map is owned by its items",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"parts":[{"id":"x","size":1}]}}`}, {verb: "apply", by: "two", body: `{"spec":{"parts":[{"id":"y"}]}}`},
				{verb: "apply", by: "two", body: `{"spec":{"parts":[{"id":"x","size":2}]}}`, fails: `Apply failed with 1 conflict: conflict with "one": .spec.parts[id="x"].size`}},
			`{"parts":[{"id":"x","size":1},{"id":"y"}]}`,
			`one Apply .spec.parts[{"id":"x"}] .spec.parts[{"id":"x"}].id .spec.parts[{"id":"x"}].size` + "\n" + `two Apply .spec.parts[{"id":"y"}] .spec.parts[{"id":"y"}].id`},
		{"an absent key counts as its default",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"slots":[{"row":1,"label":"x"}]}}`},
				{verb: "apply", by: "two", body: `{"spec":{"slots":[{"row":1,"side":"left","label":"y"}]}}`, fails: `Apply failed with 1 conflict: conflict with "one": .spec.slots[row=1,side="left"].label`}},
			`{"slots":[{"label":"x","row":1}]}`,
			`one Apply .spec.slots[{"row":1,"side":"left"}] .spec.slots[{"row":1,"side":"left"}].label .spec.slots[{"row":1,"side":"left"}].row`},
		{"an atomic map is owned as a whole",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"point":{"x":1}}}`}, {verb: "apply", by: "two", body: `{"spec":{"point":{"y":1}}}`, fails: `Apply failed with 1 conflict: conflict with "one": .spec.point`}},
			`{"point":{"x":1}}`, "one Apply .spec.point"},
		{"unknown fields are owned one by one",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"free":{"a":{"b":[1]}}}}`}, {verb: "apply", by: "two", body: `{"spec":{"free":{"a":{"c":1}}}}`}},
			`{"free":{"a":{"b":[1],"c":1}}}`, "one Apply .spec.free.a .spec.free.a.b\ntwo Apply .spec.free.a .spec.free.a.c"},
		{"an item twice",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"parts":[{"id":"x"},{"id":"x"}]}}`,
				fails: `failed to create typed patch object (/a; example.com/v1, Kind=Box): .spec.parts: duplicate entries for key [id="x"]`}},
			`null`, ""},
		{"an item without its key",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"parts":[{"size":1}]}}`,
				fails: `failed to create typed patch object (/a; example.com/v1, Kind=Box): .spec.parts: element 0: associative list with keys has an element that omits all key fields ["id"] (and doesn't have default values for any key fields)`}},
			`null`, ""},
		{"an item with some of its keys",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"slots":[{"side":"left","label":"a"}]}}`}},
			`{"slots":[{"label":"a","side":"left"}]}`,
			`one Apply .spec.slots[{"side":"left"}] .spec.slots[{"side":"left"}].label .spec.slots[{"side":"left"}].side`},
		{"a field that the schema doesn't have",
			[]op{{verb: "apply", by: "one", body: `{"spec":{"weight":1}}`,
				fails: `failed to create typed patch object (/a; example.com/v1, Kind=Box): .spec.weight: field not declared in schema`}},
			`null`, ""},
	})
}

func TestApplyThatChangesNothing(t *testing.T) {
	b := newBox(t)
	_, err := b.do(t, op{verb: "apply", by: "one", body: `{"spec":{"size":1,"tags":["a"]}}`})
	require.NoError(t, err)
	before := b.object.DeepCopy()
	changed, err := b.do(t, op{verb: "apply", by: "one", body: `{"spec":{"tags":["a"],"size":1}}`})
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, before, b.object, "times stay")

	changed, err = b.do(t, op{verb: "apply", by: "two", body: `{"spec":{"size":1}}`})
	require.NoError(t, err)
	require.True(t, changed, "a new owner is a change")
}

func TestTimesMoveWithTheWriter(t *testing.T) {
	b := newBox(t)
	times := func() (list []any) {
		for _, v := range b.object.Metadata()["managedFields"].([]any) {
			list = append(list, v.(map[string]any)["time"])
		}
		return list
	}
	for _, o := range []op{
		{verb: "apply", by: "one", body: `{"spec":{"size":1}}`},
		{verb: "update", by: "two", body: `{"spec":{"size":1,"colour":"red"}}`},
	} {
		_, err := b.do(t, o)
		require.NoError(t, err)
	}
	require.Equal(t, []any{"2030-01-01T00:00:01Z", "2030-01-01T00:00:02Z"}, times())
	_, err := b.do(t, op{verb: "update", by: "two", body: `{"spec":{"size":1,"colour":"red"}}`})
	require.NoError(t, err)
	require.Equal(t, []any{"2030-01-01T00:00:01Z", "2030-01-01T00:00:02Z"}, times(), "nothing changed")
	_, err = b.do(t, op{verb: "update", by: "two", body: `{"spec":{"size":1,"colour":"blue"}}`})
	require.NoError(t, err)
	require.Equal(t, []any{"2030-01-01T00:00:01Z", "2030-01-01T00:00:04Z"}, times())
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	for name, body := range map[string]string{
		`invalid object type: /, Kind=`:                 `{}`,
		`invalid object type: example.com/v2, Kind=Box`: `{"apiVersion":"example.com/v2","kind":"Box"}`,
		`metadata.managedFields must be nil`:            `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"managedFields":[]}}`,
	} {
		_, _, err := boxes(t, "v1").Apply(nil, decode(t, body), apply.Writer{Manager: "one"}, false)
		require.EqualError(t, err, name)
		require.ErrorIs(t, err, object.ErrBadRequest)
	}
}

// TestKeysOfGoTypes: a field that a Go type always has is a key even if a configuration lacks it.
func TestKeysOfGoTypes(t *testing.T) {
	s, err := schema.FromGo(reflect.TypeFor[rack](), schema.GoOptions{
		Lists: map[schema.GoField]schema.GoList{{Type: reflect.TypeFor[rack](), Field: "Ports"}: {Type: "map", Keys: []string{"port"}}},
		Name:  func(t reflect.Type) string { return t.Name() },
	})
	require.NoError(t, err)
	of := apply.NewType(s)
	m := &apply.Merger{Kind: object.GroupVersionKind{Version: "v1", Kind: "Rack"}, Type: func(string) *apply.Type { return of }}
	live := decode(t, `{"kind":"Rack","apiVersion":"v1","metadata":{"name":"a"},"ports":[{"port":1}]}`)
	config := decode(t, `{"kind":"Rack","apiVersion":"v1","metadata":{"name":"a"},"ports":[{"name":"x"}]}`)
	next, _, err := m.Apply(live, config, apply.Writer{Manager: "one"}, false)
	require.NoError(t, err)
	require.Equal(t, decode(t, `{"ports":[{"port":1},{"name":"x"}]}`)["ports"], next["ports"])
	owner := next.Metadata()["managedFields"].([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"f:ports": map[string]any{`k:{"port":0}`: map[string]any{".": map[string]any{}, "f:name": map[string]any{}}}}, owner["fieldsV1"])
}

type rack struct {
	Ports []port `json:"ports,omitempty"`
}
