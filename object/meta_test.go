package object_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func decode(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := object.Decode([]byte(text))
	require.NoError(t, err)
	return o
}

func TestNormalizeMeta(t *testing.T) {
	for _, tc := range []struct {
		name, text, want string
		unknown          []string
	}{
		{"nothing to do", `{"metadata":{"name":"a","labels":{"x":"y"}}}`, `{"metadata":{"labels":{"x":"y"},"name":"a"}}`, nil},
		{"no metadata", `{"spec":{}}`, `{"spec":{}}`, nil},
		{"null metadata", `{"metadata":null}`, `{"metadata":{}}`, nil},
		{"nulls and empty values", `{"metadata":{"name":null,"uid":"","labels":{},"finalizers":[],"generation":0,"ownerReferences":null}}`, `{"metadata":{}}`, nil},
		{"a grace period of zero stays", `{"metadata":{"deletionGracePeriodSeconds":0}}`, `{"metadata":{"deletionGracePeriodSeconds":0}}`, nil},
		{"nulls inside", `{"metadata":{"labels":{"a":null},"finalizers":["x",null]}}`, `{"metadata":{"finalizers":["x",""],"labels":{"a":""}}}`, nil},
		{"owner references have their four texts", `{"metadata":{"ownerReferences":[{"name":"a","controller":false}]}}`,
			`{"metadata":{"ownerReferences":[{"apiVersion":"","controller":false,"kind":"","name":"a","uid":""}]}}`, nil},
		{"times", `{"metadata":{"creationTimestamp":"2026-01-02T04:04:05.9+01:00","deletionTimestamp":"0001-01-01T00:00:00Z"}}`,
			`{"metadata":{"creationTimestamp":"2026-01-02T03:04:05Z"}}`, nil},
		{"whole numbers with a fraction", `{"metadata":{"generation":5.0}}`, `{"metadata":{"generation":5}}`, nil},
		{"managed fields", `{"metadata":{"managedFields":[{"manager":"m","operation":"Apply","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:a":{}},"subresource":""}]}}`,
			`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}},"manager":"m","operation":"Apply","time":"2026-01-02T03:04:05Z"}]}}`, nil},
		{"unknown fields", `{"metadata":{"name":"a","colour":1,"Name":"b","ownerReferences":[{},{"x":1}]}}`,
			`{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":""},{"apiVersion":"","kind":"","name":"","uid":""}]}}`,
			[]string{"metadata.Name", "metadata.colour", "metadata.ownerReferences[1].x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := decode(t, tc.text)
			unknown, err := object.NormalizeMeta(o)
			require.NoError(t, err)
			require.Equal(t, tc.unknown, unknown)
			require.Equal(t, tc.want, string(object.AppendJSON(nil, o)))
		})
	}
}

func TestNormalizeMetaErrors(t *testing.T) {
	for text, want := range map[string]string{
		`"x"`:                             "json: cannot unmarshal string into Go value of type v1.ObjectMeta",
		`[]`:                              "json: cannot unmarshal array into Go value of type v1.ObjectMeta",
		`{"name":5}`:                      "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
		`{"uid":{}}`:                      "json: cannot unmarshal object into Go struct field ObjectMeta.uid of type types.UID",
		`{"generation":"1"}`:              "json: cannot unmarshal string into Go struct field ObjectMeta.generation of type int64",
		`{"generation":1.5}`:              "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
		`{"labels":[]}`:                   "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string",
		`{"labels":{"a":7}}`:              "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
		`{"finalizers":"x"}`:              "json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string",
		`{"finalizers":[true]}`:           "json: cannot unmarshal bool into Go struct field ObjectMeta.finalizers of type string",
		`{"ownerReferences":{}}`:          "json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
		`{"ownerReferences":[1]}`:         "json: cannot unmarshal number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference",
		`{"ownerReferences":[{"uid":1}]}`: "json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.uid of type types.UID",
		`{"ownerReferences":[{"controller":"yes"}]}`:       "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
		`{"managedFields":[{"time":1}]}`:                   "json: cannot unmarshal number into Go struct field ManagedFieldsEntry.managedFields.time of type string",
		`{"managedFields":[{"operation":1}]}`:              "json: cannot unmarshal number into Go struct field ManagedFieldsEntry.managedFields.operation of type v1.ManagedFieldsOperationType",
		`{"creationTimestamp":"soon"}`:                     `parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"`,
		`{"annotations":1,"deletionTimestamp":"x"}`:        `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`,
		`{"uid":1,"name":2,"annotations":{"b":3,"a":[4]}}`: "json: cannot unmarshal array into Go struct field ObjectMeta.annotations of type string",
	} {
		o := decode(t, `{"metadata":`+text+`}`)
		before := o.DeepCopy()
		_, err := object.NormalizeMeta(o)
		require.EqualError(t, err, want, text)
		require.Equal(t, before, o, "unchanged")
	}
}

func TestNormalizedMetaIsThatOfTheType(t *testing.T) {
	o := decode(t, `{"metadata":{"name":"a","generation":3,"labels":{"a":"b"},"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["x/y"],
		"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"u","blockOwnerDeletion":true}],"managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]}}`)
	_, err := object.NormalizeMeta(o)
	require.NoError(t, err)
	type bare struct {
		Metadata object.ObjectMeta `json:"metadata"`
	}
	v, err := object.As[bare](o)
	require.NoError(t, err)
	back, err := object.From(v)
	require.NoError(t, err)
	require.Equal(t, o, back)
}

func TestObjectAccessors(t *testing.T) {
	o := object.Object{}
	require.Empty(t, o.Name()+o.Namespace()+o.UID()+o.ResourceVersion()+o.GenerateName()+o.Kind()+o.APIVersion())
	require.Nil(t, o.Labels())
	require.Zero(t, o.Generation())
	require.True(t, o.CreationTimestamp().IsZero())

	at := time.Date(2026, 1, 2, 3, 4, 5, 999, time.FixedZone("", 3600))
	yes := true
	o.SetType(object.TypeMeta{Kind: "A", APIVersion: "g/v1"})
	o.SetName("a")
	o.SetNamespace("ns")
	o.SetUID("u")
	o.SetResourceVersion("7")
	o.SetGeneration(2)
	o.SetCreationTimestamp(at)
	o.SetDeletionTimestamp(at)
	o.SetDeletionGracePeriodSeconds(0)
	o.SetLabels(map[string]string{"l": "1"})
	o.SetAnnotations(map[string]string{"n": "1"})
	o.SetFinalizers([]string{"x/y"})
	o.SetOwnerReferences([]object.OwnerReference{{APIVersion: "v1", Kind: "B", Name: "b", UID: "ub", Controller: &yes}})
	require.NoError(t, o.SetManagedFields([]object.ManagedFieldsEntry{{Manager: "m", Operation: "Apply", Time: &object.Time{Time: at}, FieldsV1: json.RawMessage(`{"f:a":{}}`)}}))
	require.Equal(t, `{"apiVersion":"g/v1","kind":"A","metadata":{"annotations":{"n":"1"},"creationTimestamp":"2026-01-02T02:04:05Z",`+
		`"deletionGracePeriodSeconds":0,"deletionTimestamp":"2026-01-02T02:04:05Z","finalizers":["x/y"],"generation":2,"labels":{"l":"1"},`+
		`"managedFields":[{"fieldsV1":{"f:a":{}},"manager":"m","operation":"Apply","time":"2026-01-02T02:04:05Z"}],"name":"a","namespace":"ns",`+
		`"ownerReferences":[{"apiVersion":"v1","controller":true,"kind":"B","name":"b","uid":"ub"}],"resourceVersion":"7","uid":"u"}}`, string(object.AppendJSON(nil, o)))

	require.Equal(t, "A ns/a", o.String())
	require.Equal(t, object.GroupVersionKind{Group: "g", Version: "v1", Kind: "A"}, o.GroupVersionKind())
	require.Equal(t, []object.OwnerReference{{APIVersion: "v1", Kind: "B", Name: "b", UID: "ub", Controller: &yes}}, o.OwnerReferences())
	require.Equal(t, json.RawMessage(`{"f:a":{}}`), o.ManagedFields()[0].FieldsV1)
	require.True(t, at.Truncate(time.Second).Equal(o.ManagedFields()[0].Time.Time))
	require.Equal(t, at.UTC().Truncate(time.Second), o.DeletionTimestamp())
	grace, ok := o.DeletionGracePeriodSeconds()
	require.True(t, ok)
	require.Zero(t, grace)
	v, ok := o.Field("metadata", "labels", "l")
	require.True(t, ok)
	require.Equal(t, "1", v)
	_, ok = o.Field("metadata", "name", "x")
	require.False(t, ok)

	require.Error(t, o.SetManagedFields([]object.ManagedFieldsEntry{{FieldsV1: json.RawMessage(`{`)}}))
	for _, remove := range []func(){
		func() { o.SetUID(""); o.SetResourceVersion(""); o.SetGeneration(0) },
		func() { o.SetCreationTimestamp(time.Time{}); o.SetDeletionTimestamp(time.Time{}) },
		func() { o.SetLabels(nil); o.SetAnnotations(nil); o.SetFinalizers(nil); o.SetOwnerReferences(nil) },
		func() { require.NoError(t, o.SetManagedFields(nil)) },
	} {
		remove()
	}
	require.Equal(t, map[string]any{"name": "a", "namespace": "ns", "deletionGracePeriodSeconds": int64(0)}, o.Metadata())
}

func TestDeepCopyAndEqual(t *testing.T) {
	o := decode(t, string(podJSON))
	c := o.DeepCopy()
	require.True(t, o.Equal(c))
	c.Metadata()["ownerReferences"].([]any)[0].(map[string]any)["name"] = "other"
	require.False(t, o.Equal(c))
	require.Equal(t, "web-7c5ddbdf54", o.OwnerReferences()[0].Name, "shares nothing")
	require.Nil(t, object.Object(nil).DeepCopy())

	require.False(t, object.Object{"a": int64(1)}.Equal(object.Object{"a": 1.0}))
	require.False(t, object.Object{"a": nil}.Equal(object.Object{"b": nil}))
	require.False(t, object.Object{"a": []any{}}.Equal(object.Object{"a": map[string]any{}}))
	require.True(t, object.Object{"a": []any{nil, true, "x", 1.5}}.Equal(object.Object{"a": []any{nil, true, "x", 1.5}}))
}

type widget struct {
	object.TypeMeta   `json:",inline"`
	object.ObjectMeta `json:"metadata,omitempty"`

	Spec widgetSpec `json:"spec"`
}

type widgetSpec struct {
	Size int64          `json:"size"`
	Any  map[string]any `json:"any,omitempty"`
}

func TestAsAndFromKeepWholeNumbers(t *testing.T) {
	o := decode(t, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","uid":"u"},"spec":{"size":9007199254740993}}`)
	w, err := object.As[widget](o)
	require.NoError(t, err)
	require.Equal(t, "w", w.Name)
	require.Equal(t, int64(9007199254740993), w.Spec.Size)
	back, err := object.From(w)
	require.NoError(t, err)
	require.Equal(t, o, back)
}

func TestAsStrictRefusesUnknownFields(t *testing.T) {
	o := decode(t, `{"kind":"Widget","metadata":{"name":"w"},"spec":{"size":1,"colour":"red"}}`)
	_, err := object.As[widget](o)
	require.NoError(t, err)
	_, err = object.AsStrict[widget](o)
	require.EqualError(t, err, `reading Widget w as *object_test.widget: json: unknown field "colour"`)
	_, err = object.As[widget](decode(t, `{"kind":"Widget","spec":5}`))
	var wrong *json.UnmarshalTypeError
	require.ErrorAs(t, err, &wrong)
}

func TestFromRefusesWhatIsNoObject(t *testing.T) {
	var none *widget
	for _, v := range []any{nil, none, 5, []int{1}, make(chan int)} {
		_, err := object.From(v)
		require.Error(t, err, "%T", v)
	}
}

func TestTimes(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("", -3600))
	data, err := json.Marshal(struct {
		T object.Time
		M object.MicroTime
		Z object.Time
	}{T: object.Time{Time: at}, M: object.MicroTime{Time: at}})
	require.NoError(t, err)
	require.Equal(t, `{"T":"2026-01-02T04:04:05Z","M":"2026-01-02T04:04:05.678901Z","Z":null}`, string(data))

	var back struct{ T, N object.Time }
	require.NoError(t, json.Unmarshal([]byte(`{"T":"2026-01-02T04:04:05Z","N":null}`), &back))
	require.True(t, back.T.Equal(at.Truncate(time.Second)))
	require.True(t, back.N.IsZero())
	require.Error(t, json.Unmarshal([]byte(`{"T":"now"}`), &back))
	require.Error(t, json.Unmarshal([]byte(`{"T":5}`), &back))
	var micro object.MicroTime
	require.NoError(t, json.Unmarshal([]byte(`"2026-01-02T04:04:05.678901Z"`), &micro))
	require.True(t, micro.Equal(at.Truncate(time.Microsecond)))
}

func TestNames(t *testing.T) {
	gv, err := object.ParseGroupVersion("apps/v1")
	require.NoError(t, err)
	require.Equal(t, object.GroupVersion{Group: "apps", Version: "v1"}, gv)
	_, err = object.ParseGroupVersion("a/b/c")
	require.EqualError(t, err, "unexpected GroupVersion string: a/b/c")
	require.Equal(t, "/v1, Kind=Event", object.GroupVersionKind{Version: "v1", Kind: "Event"}.String())
	require.Equal(t, "leases.coordination.k8s.io ns/a", object.Key{GroupResource: object.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}, Namespace: "ns", Name: "a"}.String())

	v, err := object.ParseResourceVersion("12")
	require.NoError(t, err)
	require.Equal(t, "12", v.String())
	_, err = object.ParseResourceVersion("abc")
	require.EqualError(t, err, `resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`)
}

func TestStatusErrors(t *testing.T) {
	things := object.GroupResource{Group: "g.io", Resource: "things"}
	cause := errors.New("why")
	for _, tc := range []struct {
		err    *object.StatusError
		reason object.Reason
		code   int
		want   string
	}{
		{object.NotFound(things, "a"), object.ErrNotFound, 404, `things.g.io "a" not found`},
		{object.AlreadyExists(things, "a"), object.ErrAlreadyExists, 409, `things.g.io "a" already exists`},
		{object.GenerateNameConflict(things, "a", 1), object.ErrAlreadyExists, 409, `things.g.io "a" already exists, the server was not able to generate a unique name for the object`},
		{object.Conflict(things, "a", cause), object.ErrConflict, 409, `Operation cannot be fulfilled on things.g.io "a": why`},
		{object.ApplyConflict(nil, "100% conflict"), object.ErrConflict, 409, "100% conflict"},
		{object.Forbidden(things, "a", cause), object.ErrForbidden, 403, `things.g.io "a" is forbidden: why`},
		{object.Forbidden(things, "", cause), object.ErrForbidden, 403, "things.g.io is forbidden: why"},
		{object.Forbidden(object.GroupResource{}, "", cause), object.ErrForbidden, 403, "forbidden: why"},
		{object.Unauthorized(""), object.ErrUnauthorized, 401, "not authorized"},
		{object.Invalid(object.GroupKind{Kind: "Thing"}, "a", nil), object.ErrInvalid, 422, `Thing "a" is invalid`},
		{object.BadRequest("no %s", "x"), object.ErrBadRequest, 400, "no x"},
		{object.MethodNotSupported(things, "create"), object.ErrMethodNotAllowed, 405, `create is not supported on resources of kind "things.g.io"`},
		{object.PathNotFound(), object.ErrNotFound, 404, "the server could not find the requested resource"},
		{object.MethodNotAllowed(), object.ErrMethodNotAllowed, 405, "the server does not allow this method on the requested resource"},
		{object.NotAcceptable("a/b", "c/d"), object.ErrNotAcceptable, 406, "only the following media types are accepted: a/b, c/d"},
		{object.UnsupportedMediaType("a/b"), object.ErrUnsupportedMediaType, 415, "the body of the request was in an unknown format - accepted media types include: a/b"},
		{object.RequestTooLarge("limit is %d", 3145728), object.ErrRequestEntityTooLarge, 413, "Request entity too large: limit is 3145728"},
		{object.TooManyRequests("slow down", 1), object.ErrTooManyRequests, 429, "slow down"},
		{object.ServiceUnavailable("later"), object.ErrServiceUnavailable, 503, "later"},
		{object.Timeout("too long", 0), object.ErrTimeout, 504, "Timeout: too long"},
		{object.ServerTimeout(things, "create", 2), object.ErrServerTimeout, 500, "The create operation against things.g.io could not be completed at this time, please try again."},
		{object.InternalError(cause), object.ErrInternal, 500, "Internal error occurred: why"},
		{object.Expired("too old"), object.ErrExpired, 410, "too old"},
		{object.TooLargeResourceVersion(9, 3), object.ErrTimeout, 504, "Timeout: Too large resource version: 9, current: 3"},
	} {
		require.EqualError(t, tc.err, tc.want)
		require.ErrorIs(t, fmt.Errorf("wrapped: %w", tc.err), tc.reason)
		require.Equal(t, tc.code, tc.err.Status.Code, tc.want)
	}
	require.ErrorIs(t, object.Conflict(things, "a", fs.ErrExist), fs.ErrExist, "the cause is there for errors.Is")
	require.True(t, object.IsExpired(object.NewStatusError(object.ErrGone, nil, "gone")))
	require.False(t, object.IsNotFound(cause) || object.IsConflict(cause) || object.IsInvalid(nil))
}

func TestAsStatusOfOtherErrors(t *testing.T) {
	status := object.AsStatus(fmt.Errorf("reading: %w", errors.New("100% wrong")))
	data, err := json.Marshal(status)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"reading: 100% wrong","code":500}`, string(data))
	require.Equal(t, 404, object.AsStatus(fmt.Errorf("x: %w", object.PathNotFound())).Code)
}

func TestInvalidListsEveryCauseAndShortensTheMessage(t *testing.T) {
	e := object.InvalidField("a", int64(1), "no")
	err := object.Invalid(object.GroupKind{Group: "g", Kind: "K"}, "n", object.FieldErrors{e, e, object.RequiredField("b", "")})
	require.EqualError(t, err, `K.g "n" is invalid: [a: Invalid value: 1: no, b: Required value]`)
	require.Len(t, err.Status.Details.Causes, 3)
	require.Equal(t, object.Cause{Reason: "FieldValueInvalid", Message: "Invalid value: 1: no", Field: "a"}, err.Status.Details.Causes[0])
	var fields object.FieldErrors
	require.ErrorAs(t, err, &fields)
}

func TestFieldErrorsShowValues(t *testing.T) {
	five := 5
	for want, e := range map[string]*object.FieldError{
		`f: Invalid value: "a\"<é": no`:                         object.InvalidField("f", `a"<é`, "no"),
		"f: Invalid value: null":                                object.InvalidField("f", nil, ""),
		"f: Invalid value: 1e+06: no":                           object.InvalidField("f", 1e6, "no"),
		"f: Invalid value: 5: no":                               object.InvalidField("f", &five, "no"),
		`f: Invalid value: ["a","\u003c"]: no`:                  object.InvalidField("f", []string{"a", "<"}, "no"),
		`f: Invalid value: {"a":1,"b":"x"}: no`:                 object.InvalidField("f", map[string]any{"b": "x", "a": int64(1)}, "no"),
		`f: Invalid value: {"kind":"A"}: no`:                    object.TypeInvalidField("f", object.TypeMeta{Kind: "A"}, "no"),
		`f: Duplicate value: "x"`:                               object.DuplicateField("f", "x"),
		`f: Not found: "x"`:                                     object.NotFoundField("f", "x"),
		`f: Unsupported value: "x": supported values: "a", "b"`: object.UnsupportedField("f", "x", "a", "b"),
		`f: Unsupported value: "x"`:                             object.UnsupportedField("f", "x"),
		"f: Forbidden: no":                                      object.ForbiddenField("f", "no"),
		"f: Too long: may not be more than 1 byte":              object.TooLongField("f", 1),
		"f: Too short: must be at least 2 characters":           object.TooShortField("f", 2),
		"f: Too many: 3: must have at most 2 items":             object.TooManyField("f", 3, 2),
		"f: Too few: 0: must have at least 1 item":              object.TooFewField("f", 0, 1),
		"f: Internal error: broken":                             object.InternalField("f", errors.New("broken")),
		`f: <unknown error "Odd">: 1`:                           {Type: "Odd", Field: "f", Value: 1},
	} {
		require.EqualError(t, e, want)
	}
}
