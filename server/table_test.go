package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// servedConfigMap is a resource with a column that wants the document.
func servedConfigMap(t testing.TB, change func(*Resource)) *served {
	r := Resource{Plural: "configmaps", Kind: "ConfigMap", Namespaced: true, Versions: []Version{{Name: "v1", Columns: []Column{
		{Name: "Data", Type: "string", Description: "d", Value: func(o object.Object) any { return int64(len(o["data"].(map[string]any))) }},
		{Name: "Since", Type: "date", Priority: 1, Value: func(o object.Object) any { return o.Metadata()["creationTimestamp"] }},
	}}}}
	if change != nil {
		change(&r)
	}
	set, err := newResourceSet(r)
	require.NoError(t, err)
	s, ok := set.find(object.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	require.True(t, ok)
	return s
}

var tableTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func encodedConfigMap(t testing.TB) *object.Encoded {
	e, err := object.Encode(object.Object{
		"metadata": map[string]any{
			"name": "a", "namespace": "ns", "creationTimestamp": "2026-01-02T03:03:53Z",
			"annotations": map[string]any{`q"}`: `br{ace\`},
		},
		"data": map[string]any{"k": "v"},
	}, nil)
	require.NoError(t, err)
	e.Version = 7
	return &e
}

const partialOfConfigMap = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7",` +
	`"annotations":{"q\"}":"br{ace\\"},"creationTimestamp":"2026-01-02T03:03:53Z","name":"a","namespace":"ns"}}`

func TestTableOfOneObject(t *testing.T) {
	s := servedConfigMap(t, nil)
	data, err := s.appendTable(nil, form{as: asTable}, encodedConfigMap(t), tableTime)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[
		{"name":"Name","type":"string","format":"name","description":`+quoted(s.columns[0].Description)+`,"priority":0},
		{"name":"Data","type":"string","format":"","description":"d","priority":0},
		{"name":"Since","type":"date","format":"","description":"","priority":1}],
		"rows":[{"cells":["a",1,"12s"],"object":`+partialOfConfigMap+`}]}`, string(data))
}

func TestTableFormsOfTheObject(t *testing.T) {
	s := servedConfigMap(t, nil)
	e := encodedConfigMap(t)
	for _, test := range []struct {
		name string
		form form
		want string
	}{
		{"metadata", form{as: asTable}, partialOfConfigMap},
		{"nothing", form{as: asTable, include: includeNone}, `null`},
		{"whole", form{as: asTable, include: includeWhole}, string(e.AppendJSON(nil, s.typeMeta))},
	} {
		t.Run(test.name, func(t *testing.T) {
			row, err := s.appendTableRow(nil, test.form, e, tableTime)
			require.NoError(t, err)
			require.JSONEq(t, `{"cells":["a",1,"12s"],"object":`+test.want+`}`, string(row))
		})
	}
}

func TestTableWithoutDescribedColumns(t *testing.T) {
	s := servedConfigMap(t, func(r *Resource) { r.Versions[0].Columns = nil })
	e := encodedConfigMap(t)
	data, err := s.appendTable(nil, form{as: asTable, beta: true, include: includeNone}, e, tableTime)
	require.NoError(t, err)
	var table struct {
		APIVersion        string
		ColumnDefinitions []struct{ Name, Type string }
		Rows              []struct{ Cells []any }
	}
	require.NoError(t, json.Unmarshal(data, &table))
	require.Equal(t, "meta.k8s.io/v1beta1", table.APIVersion)
	require.Equal(t, []struct{ Name, Type string }{{"Name", "string"}, {"Age", "date"}}, table.ColumnDefinitions)
	require.Equal(t, []any{"a", "12s"}, table.Rows[0].Cells)
}

func TestTableWithANameColumnOfItsOwn(t *testing.T) {
	s := servedConfigMap(t, func(r *Resource) {
		columns := &r.Versions[0].Columns
		*columns = append((*columns)[:1], Column{
			Name: "Name", Type: "string", Format: "name", Description: "n", Priority: 1, Value: func(o object.Object) any { return o.Name() },
		})
	})
	data, err := s.appendTable(nil, form{as: asTable, include: includeNone}, encodedConfigMap(t), tableTime)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[
		{"name":"Data","type":"string","format":"","description":"d","priority":0},
		{"name":"Name","type":"string","format":"name","description":"n","priority":1}],
		"rows":[{"cells":[1,"a"],"object":null}]}`, string(data))
}

func TestTableOfAConvertedVersion(t *testing.T) {
	s := servedConfigMap(t, func(r *Resource) {
		v := &r.Versions[0]
		v.FromStored = func(o object.Object) (object.Object, error) {
			o["data"] = map[string]any{"converted": "", "k": ""}
			return o, nil
		}
		v.ToStored = func(o object.Object) (object.Object, error) { return o, nil }
	})
	row, err := s.appendTableRow(nil, form{as: asTable, include: includeWhole}, encodedConfigMap(t), tableTime)
	require.NoError(t, err)
	require.Contains(t, string(row), `{"cells":["a",2,"12s"],"object":{"apiVersion":"v1","data":{"converted":"","k":""},"kind":"ConfigMap"`)
}

func TestLaterFramesHaveNoColumns(t *testing.T) {
	s := servedConfigMap(t, nil)
	head := s.appendTableHead(nil, form{as: asTable, headless: true}, object.ListMeta{ResourceVersion: "7"})
	require.Equal(t, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":null,"rows":[`, string(head))
}

func TestBookmarksInTables(t *testing.T) {
	s := servedConfigMap(t, func(r *Resource) {
		r.Versions[0].Columns = []Column{{Name: "Age", Type: "string", Value: Age}}
	})
	bookmark := object.Object{"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "9"}}
	f := form{as: asTable, include: includeNone}
	require.JSONEq(t, `{"cells":["","<unknown>"],"object":null}`, string(s.appendTableRowOf(nil, f, bookmark, tableTime)))
	bookmark.SetAnnotations(map[string]string{initialEventsEnd: "true"})
	require.JSONEq(t, `{"cells":["","<unknown>"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
		"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}`, string(s.appendTableRowOf(nil, f, bookmark, tableTime)))
}

func TestColumnsSeeOwnersIfTheySaySo(t *testing.T) {
	for _, sees := range []bool{false, true} {
		kind := widgets()
		kind.Versions[0].Columns = []Column{
			{Name: "Manager", Type: "string", SeesOwners: sees, Value: func(o object.Object) any {
				owners, _ := o.Metadata()["managedFields"].([]any)
				return fmt.Sprint(len(owners), " of ", o.Name())
			}},
		}
		s := newWorld(t, kind)
		_, err := s.Create(t.Context(), target(""), widget("a", "color", "red"), WriteOptions{FieldManager: "m"})
		require.NoError(t, err)
		for _, include := range []string{"Metadata", "Object", "None"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, widgetsPath+"?includeObject="+include, nil)
			r.Header.Set("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			require.Equal(t, http.StatusOK, w.Code)
			cells := map[bool]string{false: `["a","0 of a"]`, true: `["a","1 of a"]`}[sees || include == "Object"]
			require.Contains(t, w.Body.String(), `"cells":`+cells)
			require.Equal(t, include != "None", strings.Contains(w.Body.String(), `"manager":"m"`), "the object is whole")
		}
	}
}

func TestIncludeObject(t *testing.T) {
	for value, want := range map[string]includeObject{"": includeMetadata, "Metadata": includeMetadata, "Object": includeWhole, "None": includeNone} {
		f, err := form{as: asTable}.withTableOptions(url.Values{"includeObject": {value}})
		require.NoError(t, err)
		require.Equal(t, want, f.include)
	}
	_, err := form{as: asTable}.withTableOptions(url.Values{"includeObject": {"everything"}})
	require.EqualError(t, err, `Unable to convert to Table as requested: includeObject: Invalid value: "everything": must be 'Metadata', 'Object', 'None', or empty`)
	_, err = form{}.withTableOptions(url.Values{"includeObject": {"everything"}})
	require.NoError(t, err)
}

func TestPartialInJSONAndProtobuf(t *testing.T) {
	e := encodedConfigMap(t)
	require.Equal(t, partialOfConfigMap, string(appendPartial(nil, form{as: asPartial}, e)))

	message := appendPartialProtobuf(nil, e)
	o, err := e.Object(object.TypeMeta{})
	require.NoError(t, err)
	require.Equal(t, appendPartialMessage(nil, object.AppendJSON(nil, o.Metadata()), ""), message)
	require.JSONEq(t, partialOfConfigMap, string(appendPartialOf(nil, form{}, o)))
}

func TestListMetaJSON(t *testing.T) {
	n := int64(3)
	for want, m := range map[string]object.ListMeta{
		`{}`:                      {},
		`{"resourceVersion":"1"}`: {ResourceVersion: "1"},
		`{"resourceVersion":"1","continue":"c","remainingItemCount":3}`: {ResourceVersion: "1", Continue: "c", RemainingItemCount: &n},
		`{"remainingItemCount":3}`:                                      {RemainingItemCount: &n},
	} {
		require.Equal(t, want, string(appendListMetaJSON(nil, m, false)))
	}
}

func TestAges(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		age  time.Duration
		want string
	}{
		{-2 * time.Second, "<invalid>"}, {-1500 * time.Millisecond, "0s"}, {0, "0s"}, {119 * time.Second, "119s"},
		{120 * time.Second, "2m"}, {125 * time.Second, "2m5s"}, {10*time.Minute + 7*time.Second, "10m"}, {179 * time.Minute, "179m"},
		{3 * time.Hour, "3h"}, {3*time.Hour + 12*time.Minute, "3h12m"}, {8*time.Hour + time.Minute, "8h"}, {47 * time.Hour, "47h"},
		{2 * day, "2d"}, {2*day + 4*time.Hour, "2d4h"}, {8 * day, "8d"}, {729 * day, "729d"},
		{730 * day, "2y"}, {750 * day, "2y20d"}, {8*365*day + day, "8y"},
	} {
		require.Equal(t, test.want, formatAge(test.age), test.age)
	}
	require.Nil(t, dateCell(nil, tableTime))
	require.Nil(t, dateCell(int64(3), tableTime))
	require.Equal(t, "<invalid>", dateCell("yesterday", tableTime))
}

func quoted(s string) string { return string(object.AppendJSON(nil, s)) }

func FuzzMetadataEnd(f *testing.F) {
	f.Add(`a"b\`, `{"x":[1,"}"]}`)
	f.Fuzz(func(t *testing.T, text, other string) {
		e, err := object.Encode(object.Object{
			"metadata": map[string]any{"name": "n", "annotations": map[string]any{text: other}, "finalizers": []any{text}},
			"z":        text,
		}, nil)
		require.NoError(t, err)
		metadata, err := decodeMetadata(&e)
		require.NoError(t, err)
		whole, err := e.Object(object.TypeMeta{})
		require.NoError(t, err)
		delete(whole.Metadata(), "resourceVersion")
		delete(metadata, "resourceVersion")
		require.Equal(t, whole.Metadata(), metadata)
	})
}

func BenchmarkPartialJSON(b *testing.B) {
	e := encodedConfigMap(b)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = appendPartial(dst[:0], form{}, e)
	}
}

func BenchmarkTableRow(b *testing.B) {
	s := servedConfigMap(b, nil)
	e := encodedConfigMap(b)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = s.appendTableRow(dst[:0], form{as: asTable}, e, tableTime)
	}
}
