package object_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	keyRule   = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	labelRule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)

func TestValidateNames(t *testing.T) {
	const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	const dns1035Rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	for _, tc := range []struct {
		name     string
		validate func(string, bool) []string
		text     string
		prefix   bool
		want     []string
	}{
		{"subdomain", object.ValidateSubdomainName, "a.b-c.0", false, nil},
		{"subdomain with upper case", object.ValidateSubdomainName, "A", false, []string{subdomainRule}},
		{"subdomain with an empty label", object.ValidateSubdomainName, "a..b", false, []string{subdomainRule}},
		{"empty subdomain", object.ValidateSubdomainName, "", false, []string{subdomainRule}},
		{"long subdomain", object.ValidateSubdomainName, strings.Repeat("a", 254), false, []string{"must be no more than 253 characters"}},
		{"dash at the end of a name", object.ValidateSubdomainName, "a-", false, []string{subdomainRule}},
		{"dash at the end of a prefix", object.ValidateSubdomainName, "a-", true, nil},
		{"dot at the end of a prefix", object.ValidateSubdomainName, "a.", true, []string{subdomainRule}},
		{"label", object.ValidateLabelName, "a-0", false, nil},
		{"label with a dot", object.ValidateLabelName, "a.b", false, []string{"must not contain dots"}},
		{"label with upper case", object.ValidateLabelName, "A", false, []string{labelRule}},
		{"long label", object.ValidateLabelName, strings.Repeat("a", 64), false, []string{"must be no more than 63 characters"}},
		{"DNS-1035 label", object.ValidateDNS1035Name, "a-0", false, nil},
		{"DNS-1035 label with a digit in front", object.ValidateDNS1035Name, "0a", false, []string{dns1035Rule}},
		{"path segment", object.ValidatePathSegmentName, "a:b C", false, nil},
		{"path segment that climbs", object.ValidatePathSegmentName, "..", false, []string{"may not be '..'"}},
		{"prefix that may stop climbing", object.ValidatePathSegmentName, "..", true, nil},
		{"path segment with both", object.ValidatePathSegmentName, "%/", false, []string{"may not contain '/'", "may not contain '%'"}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, tc.validate(tc.text, tc.prefix)) })
	}
}

func TestValidateLabelKeyAndValue(t *testing.T) {
	require.Nil(t, object.ValidateLabelKey("example.com/My_name.1"))
	require.Nil(t, object.ValidateLabelKey("0"))
	require.Equal(t, []string{"prefix part must be non-empty", "name part must be non-empty", "name part " + keyRule}, object.ValidateLabelKey("/"))
	require.Equal(t, []string{"a valid label key " + keyRule + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}, object.ValidateLabelKey("a/b/c"))
	require.Equal(t, []string{"name part must be no more than 63 bytes"}, object.ValidateLabelKey(strings.Repeat("k", 64)))
	require.Equal(t, "prefix part must be no more than 253 bytes", object.ValidateLabelKey(strings.Repeat("k", 254) + "/a")[0])

	require.Nil(t, object.ValidateLabelValue(""))
	require.Nil(t, object.ValidateLabelValue("A_b.c-1"))
	require.Len(t, object.ValidateLabelValue("-"), 1)
	require.Equal(t, []string{"must be no more than 63 bytes"}, object.ValidateLabelValue(strings.Repeat("v", 64)))
}

// withMeta is an object with valid metadata but for the given fields; null removes one.
func withMeta(changes map[string]any) object.Object {
	meta := map[string]any{"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "1", "creationTimestamp": "2026-01-02T03:04:05Z"}
	for name, v := range changes {
		if meta[name] = v; v == nil {
			delete(meta, name)
		}
	}
	return object.Object{"metadata": meta}
}

func texts(errs object.FieldErrors) []string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return out
}

func TestValidateMeta(t *testing.T) {
	owner := func(name string, controller bool) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "A", "name": name, "uid": "u", "controller": controller}
	}
	for _, tc := range []struct {
		name    string
		changes map[string]any
		want    []string
	}{
		{"valid", nil, nil},
		{"no name", map[string]any{"name": nil}, []string{"metadata.name: Required value: name or generateName is required"}},
		{"no namespace", map[string]any{"namespace": nil}, []string{"metadata.namespace: Required value"}},
		{"namespace that is no label", map[string]any{"namespace": "a.b"}, []string{`metadata.namespace: Invalid value: "a.b": must not contain dots`}},
		{"negative generation", map[string]any{"generation": int64(-1)}, []string{"metadata.generation: Invalid value: -1: must be greater than or equal to 0"}},
		{"label keys and values in the order of the keys", map[string]any{"labels": map[string]any{"b": "-", "a b": "1"}}, []string{
			`metadata.labels: Invalid value: "a b": name part ` + keyRule,
			`metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		}},
		{"annotation keys in any case, with any value", map[string]any{"annotations": map[string]any{"EXAMPLE.com/A": "any value\n"}}, nil},
		{"annotation key", map[string]any{"annotations": map[string]any{"/a": ""}}, []string{`metadata.annotations: Invalid value: "/a": prefix part must be non-empty`}},
		{"annotations too large", map[string]any{"annotations": map[string]any{"a": strings.Repeat("x", 256<<10)}}, []string{"metadata.annotations: Too long: may not be more than 262144 bytes"}},
		{"annotations just not too large", map[string]any{"annotations": map[string]any{"a": strings.Repeat("x", 256<<10-1)}}, nil},
		{"empty owner", map[string]any{"ownerReferences": []any{map[string]any{}}}, []string{
			"metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
			"metadata.ownerReferences[0].kind: Required value: must not be empty",
			"metadata.ownerReferences[0].name: Required value: must not be empty",
			"metadata.ownerReferences[0].uid: Required value: must not be empty",
		}},
		{"owner with a malformed version", map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": "a/b/c", "kind": "A", "name": "a", "uid": "u"}}},
			[]string{`metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>`}},
		{"event as owner", map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "u"}}},
			[]string{`metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"u"}: /v1, Kind=Event is disallowed from being an owner`}},
		{"two controllers", map[string]any{"ownerReferences": []any{owner("a", true), owner("b", false), owner("c", true)}},
			[]string{`metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"a","uid":"u","controller":true},{"apiVersion":"v1","kind":"A","name":"b","uid":"u","controller":false},{"apiVersion":"v1","kind":"A","name":"c","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/a and A/c`}},
		{"finalizers", map[string]any{"finalizers": []any{"orphan", "a/", "foregroundDeletion"}}, []string{
			`metadata.finalizers: Invalid value: "a/": name part must be non-empty`,
			`metadata.finalizers: Invalid value: "a/": name part ` + keyRule,
			`metadata.finalizers: Invalid value: ["orphan","a/","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`,
		}},
		{"managed fields", map[string]any{"managedFields": []any{map[string]any{"operation": "Change", "fieldsType": "V2", "manager": "a\n", "subresource": strings.Repeat("s", 257)}, map[string]any{}}}, []string{
			`metadata.managedFields[0].operation: Unsupported value: "Change": supported values: "Apply", "Update"`,
			"metadata.managedFields[0].fieldsType: Invalid value: \"V2\": must be `FieldsV1`",
			`metadata.managedFields[0].manager: Invalid value: "a\n": invalid character U+000A (at position 1)`,
			"metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
			"metadata.managedFields[1].operation: Required value: must not be empty",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, texts(object.ValidateMeta(withMeta(tc.changes), true, object.ValidateSubdomainName)))
		})
	}
}

func TestValidateMetaOfClusterScopedAndGeneratedNames(t *testing.T) {
	errs := object.ValidateMeta(withMeta(map[string]any{"name": "AB-x", "generateName": "AB-"}), false, object.ValidateLabelName)
	require.Equal(t, []string{
		`metadata.generateName: Invalid value: "AB-": ` + labelRule,
		`metadata.name: Invalid value: "AB-x": ` + labelRule,
		"metadata.namespace: Forbidden: not allowed on this type",
	}, texts(errs))
}

func TestValidateMetaUpdate(t *testing.T) {
	deleting := map[string]any{"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": []any{"x/a"}}
	for _, tc := range []struct {
		name      string
		next, old map[string]any
		want      []string
	}{
		{"nothing changed", nil, nil, nil},
		{"the same time in another zone", map[string]any{"creationTimestamp": "2026-01-02T04:04:05+01:00"}, nil, nil},
		{"no resource version", map[string]any{"resourceVersion": nil}, nil, []string{`metadata.resourceVersion: Invalid value: "": must be specified for an update`}},
		{"generation goes back", map[string]any{"generation": int64(1)}, map[string]any{"generation": int64(2)}, []string{"metadata.generation: Invalid value: 1: must not be decremented"}},
		{"immutable fields", map[string]any{"name": "b", "namespace": nil, "uid": "<", "creationTimestamp": nil, "deletionTimestamp": "2026-01-02T03:04:05Z", "deletionGracePeriodSeconds": int64(0)}, nil, []string{
			`metadata.name: Invalid value: "b": field is immutable`,
			`metadata.namespace: Invalid value: "": field is immutable`,
			`metadata.uid: Invalid value: "\u003c": field is immutable`,
			"metadata.creationTimestamp: Invalid value: null: field is immutable",
			`metadata.deletionTimestamp: Invalid value: "2026-01-02T03:04:05Z": field is immutable`,
			"metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable",
		}},
		{"new finalizers while deleting", map[string]any{"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": []any{"x/c", "x/a", "x/b", "x/b"}}, deleting,
			[]string{`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/b", "x/c"}`}},
		{"fewer finalizers while deleting", map[string]any{"deletionTimestamp": "2026-01-02T03:04:05Z"}, deleting, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, texts(object.ValidateMetaUpdate(withMeta(tc.next), withMeta(tc.old))))
		})
	}
}

func TestValidateQualifiedFinalizers(t *testing.T) {
	o := withMeta(map[string]any{"finalizers": []any{"orphan", "foregroundDeletion", "kubernetes", "x/y", "plain"}})
	require.Equal(t, []string{`metadata.finalizers[4]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified`},
		texts(object.ValidateQualifiedFinalizers(o)))
}

func TestValidateFieldManager(t *testing.T) {
	require.Empty(t, object.ValidateFieldManager("kubectl é", "fieldManager"))
	require.Equal(t, []string{"fieldManager: Too long: may not be more than 128 bytes"}, texts(object.ValidateFieldManager(strings.Repeat("m", 129), "fieldManager")))
}

func BenchmarkValidateMeta(b *testing.B) {
	o, err := object.Decode(podJSON)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		object.ValidateMeta(o, true, object.ValidateSubdomainName)
	}
}
