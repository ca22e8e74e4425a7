package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// write decodes a document as a server does and runs the rules over it; old may be "".
func write(t *testing.T, r server.Resource, rules server.Rules, document, old string) (object.Object, string) {
	t.Helper()
	next := decode(t, r, document)
	var before object.Object
	if old != "" {
		before = decode(t, r, old)
	}
	if rules.Prepare != nil {
		rules.Prepare(next, before)
	}
	if rules.Validate == nil {
		return next, ""
	}
	if errs := rules.Validate(next, before); len(errs) > 0 {
		return next, errs.Error()
	}
	return next, ""
}

func decode(t *testing.T, r server.Resource, document string) object.Object {
	t.Helper()
	v := r.Versions[0]
	o, _, err := v.Codec.DecodeJSON([]byte(document))
	require.NoError(t, err)
	if v.ToStored != nil {
		o, err = v.ToStored(o)
		require.NoError(t, err)
	}
	return o
}

func asJSON(t *testing.T, o object.Object) string {
	t.Helper()
	data, err := json.Marshal(map[string]any(o))
	require.NoError(t, err)
	return string(data)
}

// TestAPriorityClassPreemptsUnlessItSaysOtherwise: the default is part of the document, so that its
// writer owns it; what is empty says something.
func TestAPriorityClassPreemptsUnlessItSaysOtherwise(t *testing.T) {
	setDefaults := PriorityClasses().Versions[0].Default
	for _, tc := range []struct{ document, want string }{
		{`{}`, `{"preemptionPolicy":"PreemptLowerPriority"}`},
		{`{"preemptionPolicy":"Never"}`, `{"preemptionPolicy":"Never"}`},
		{`{"preemptionPolicy":""}`, `{"preemptionPolicy":""}`},
	} {
		o, err := object.Decode([]byte(tc.document))
		require.NoError(t, err)
		setDefaults(o)
		require.Equal(t, tc.want, asJSON(t, o))
	}
}

func TestWhatIsMadeOfAnObject(t *testing.T) {
	namespaces := Namespaces()
	status, finalize := namespaces.Subresources[0].Rules, namespaces.Subresources[1].Rules
	tests := map[string]struct {
		resource        server.Resource
		rules           *server.Rules
		next, old, want string
	}{
		"a new namespace is active, held and labelled": {
			resource: namespaces,
			next:     `{"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"x","a":"b"}},"spec":{"finalizers":["e.com/f"]},"status":{"phase":"Terminating"}}`,
			want:     `{"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n","a":"b"}},"spec":{"finalizers":["e.com/f","kubernetes"]},"status":{"phase":"Active"}}`,
		},
		"a namespace keeps finalizers and status": {
			resource: namespaces,
			next:     `{"metadata":{"name":"n"},"spec":{"finalizers":[]},"status":{"phase":"Terminating"}}`,
			old:      `{"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}`,
			want:     `{"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n"}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}`,
		},
		"the status of a namespace changes nothing else": {
			resource: namespaces, rules: &status,
			next: `{"metadata":{"name":"n"},"spec":{},"status":{"conditions":[{"type":"T","status":"True"}]}}`,
			old:  `{"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}`,
			want: `{"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n"}},"spec":{"finalizers":["kubernetes"]},
				"status":{"phase":"Active","conditions":[{"type":"T","status":"True","lastTransitionTime":null}]}}`,
		},
		"finalize changes finalizers and no status": {
			resource: namespaces, rules: &finalize,
			next: `{"metadata":{"name":"n"},"spec":{"finalizers":[]},"status":{"phase":"Active"}}`,
			old:  `{"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Terminating"}}`,
			want: `{"metadata":{"name":"n","labels":{"kubernetes.io/metadata.name":"n"}},"spec":{},"status":{"phase":"Terminating"}}`,
		},
		"texts of a secret are written over its data": {
			resource: Secrets(),
			next:     `{"metadata":{"name":"s"},"data":{"a":"QQ==","b":null},"stringData":{"a":"b","c":""}}`,
			want:     `{"metadata":{"name":"s"},"type":"Opaque","data":{"a":"Yg==","b":"","c":""}}`,
		},
		"references of a service account to secrets are names only": {
			resource: ServiceAccounts(),
			next:     `{"metadata":{"name":"s"},"secrets":[{"name":"a","namespace":"x","uid":"u"},{}]}`,
			want:     `{"metadata":{"name":"s"},"secrets":[{"name":"a"},{}]}`,
		},
		"a lease loses what coordinated election uses": {
			resource: Leases(),
			next:     `{"metadata":{"name":"l"},"spec":{"strategy":"OldestEmulationVersion","preferredHolder":"me","leaseDurationSeconds":5}}`,
			want:     `{"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":5}}`,
		},
		"a priority class has a generation": {
			resource: PriorityClasses(),
			next:     `{"metadata":{"name":"p"},"value":5,"preemptionPolicy":"Never"}`,
			want:     `{"metadata":{"name":"p","generation":1},"value":5,"preemptionPolicy":"Never"}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rules := tc.resource.Rules
			if tc.rules != nil {
				rules = *tc.rules
			}
			got, errs := write(t, tc.resource, rules, tc.next, tc.old)
			require.Empty(t, errs)
			require.JSONEq(t, tc.want, asJSON(t, got))
		})
	}
}

func TestNamespaceUnderDeletion(t *testing.T) {
	namespaces := Namespaces()
	o := decode(t, namespaces, `{"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes"]}}`)
	namespaces.BeginDelete(o)
	require.Equal(t, "Terminating", text(o, "status", "phase"))
	require.True(t, namespaces.Held(o))
	require.True(t, namespaces.Held(decode(t, namespaces, `{"metadata":{"name":"n"},"spec":{}}`)), "the first DELETE marks")
	require.False(t, namespaces.Held(decode(t, namespaces, `{"metadata":{"name":"n","deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{}}`)))
}

func TestWhatIsRefused(t *testing.T) {
	const name63 = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	const unqualified = "name is neither a standard finalizer name nor is it fully qualified"
	namespaces := Namespaces()
	status, finalize := namespaces.Subresources[0].Rules, namespaces.Subresources[1].Rules
	tests := map[string]struct {
		resource        server.Resource
		rules           *server.Rules
		next, old, want string
	}{
		"finalizers of a new namespace": {
			resource: namespaces, next: `{"metadata":{"name":"n"},"spec":{"finalizers":["one"]}}`,
			want: `spec.finalizers: Invalid value: "one": ` + unqualified,
		},
		"finalizers by finalize": {
			resource: namespaces, rules: &finalize,
			next: `{"metadata":{"name":"n"},"spec":{"finalizers":["kubernetes","one"]}}`, old: `{"metadata":{"name":"n"}}`,
			want: `spec.finalizers[1]: Invalid value: "one": ` + unqualified,
		},
		"phase of a namespace that is not being deleted": {
			resource: namespaces, rules: &status,
			next: `{"metadata":{"name":"n"},"status":{"phase":"Terminating"}}`, old: `{"metadata":{"name":"n"}}`,
			want: "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
		},
		"key in both bags": {
			resource: ConfigMaps(), next: `{"data":{"k":""},"binaryData":{"k":""}}`,
			want: `data[k]: Invalid value: "k": duplicate of key present in binaryData`,
		},
		"too much data": {
			resource: ConfigMaps(), next: `{"data":{"k":"` + strings.Repeat("x", maxData) + `"},"binaryData":{"l":"QQ=="}}`,
			want: `[]: Too long: may not be more than 1048576 bytes`,
		},
		"change of an immutable ConfigMap": {
			resource: ConfigMaps(), next: `{"data":{"k":"1"}}`, old: `{"immutable":true,"data":{"k":"2"}}`,
			want: "[immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]",
		},
		"type of a secret": {
			resource: Secrets(), next: `{}`, old: `{"type":"a/b"}`,
			want: `type: Invalid value: "Opaque": field is immutable`,
		},
		"keys of known types of secrets": {
			resource: Secrets(), next: `{"type":"kubernetes.io/tls"}`,
			want: `[data[tls.crt]: Required value, data[tls.key]: Required value]`,
		},
		"docker configuration that is no JSON": {
			resource: Secrets(), next: `{"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"{"}}`,
			want: `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input`,
		},
		"numbers of a lease": {
			resource: Leases(), next: `{"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}}`,
			want: `[spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]`,
		},
		"event of another namespace": {
			resource: Events(), next: `{"metadata":{"namespace":"a"},"involvedObject":{"namespace":"b"}}`,
			want: `involvedObject.namespace: Invalid value: "b": does not match event.namespace`,
		},
		"new event without what the new view wants": {
			resource: RegardingEvents(), next: `{"metadata":{"namespace":"a"},"regarding":{"namespace":"a"},"type":"Odd"}`,
			want: `[eventTime: Required value, type: Invalid value: "": has invalid value: Odd]`,
		},
		"reporter of an event": {
			resource: Events(),
			next: `{"metadata":{"namespace":"a"},"involvedObject":{"namespace":"a"},"eventTime":"2024-05-06T07:08:09.123456Z",
				"reportingComponent":"bad name","reportingInstance":"i","action":"a","reason":"r"}`,
			want: `reportingComponent: Invalid value: "bad name": ` + name63,
		},
		"change of an event through the new view": {
			resource: RegardingEvents(),
			next:     `{"metadata":{"namespace":"a"},"regarding":{"namespace":"a"},"note":"new","series":{"count":1}}`,
			old:      `{"metadata":{"namespace":"a"},"regarding":{"namespace":"a"},"note":"old"}`,
			want: `[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value, ` +
				`message: Invalid value: "new": field is immutable]`,
		},
		"an event through the new view without what it had": {
			resource: RegardingEvents(),
			next:     `{"metadata":{"namespace":"a"},"regarding":{"namespace":"a"}}`,
			old:      `{"metadata":{"namespace":"a"},"regarding":{"namespace":"a"},"note":"old","deprecatedCount":2,"deprecatedFirstTimestamp":"2024-05-06T07:08:09Z"}`,
			want:     `[message: Invalid value: "": field is immutable, firstTimestamp: Invalid value: null: field is immutable, count: Invalid value: 0: field is immutable]`,
		},
		"highest priority": {
			resource: PriorityClasses(), next: `{"metadata":{"name":"p"},"value":1000000001,"preemptionPolicy":"Never"}`,
			want: `value: Forbidden: maximum allowed value of a user defined priority is 1000000000`,
		},
		"priority of the system": {
			resource: PriorityClasses(), next: `{"metadata":{"name":"system-x"},"value":1,"preemptionPolicy":"Never"}`,
			want: `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class`,
		},
		"a priority class that says nothing of others": {
			resource: PriorityClasses(), next: `{"metadata":{"name":"p"},"value":1,"preemptionPolicy":""}`,
			want: `preemptionPolicy: Required value`,
		},
		"change of a priority": {
			resource: PriorityClasses(), next: `{"value":1,"preemptionPolicy":"PreemptLowerPriority"}`, old: `{"value":2,"preemptionPolicy":"Never"}`,
			want: `[value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable]`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rules := tc.resource.Rules
			if tc.rules != nil {
				rules = *tc.rules
			}
			_, errs := write(t, tc.resource, rules, tc.next, tc.old)
			require.Equal(t, tc.want, errs)
		})
	}
}

func TestBothViewsOfAnEventShowTheSame(t *testing.T) {
	core, view := Events().Versions[0], RegardingEvents().Versions[0]
	const inCore = `{"metadata":{"name":"e"},"involvedObject":{"name":"p"},"reason":"R","message":"m","count":2,
		"source":{"component":"c"},"firstTimestamp":"2024-05-06T07:08:09Z","lastTimestamp":null,"eventTime":null,
		"reportingComponent":"","reportingInstance":""}`
	stored, _, err := core.Codec.DecodeJSON([]byte(inCore))
	require.NoError(t, err)

	shown, err := view.FromStored(stored)
	require.NoError(t, err)
	require.JSONEq(t, `{"metadata":{"name":"e"},"regarding":{"name":"p"},"reason":"R","note":"m","deprecatedCount":2,
		"deprecatedSource":{"component":"c"},"deprecatedFirstTimestamp":"2024-05-06T07:08:09Z",
		"deprecatedLastTimestamp":null,"eventTime":null}`, asJSON(t, shown))
	require.JSONEq(t, inCore, asJSON(t, stored), "the stored form is left alone")

	back, err := view.ToStored(shown)
	require.NoError(t, err)
	require.Equal(t, stored, back)

	retyped, _, err := view.Codec.DecodeJSON([]byte(asJSON(t, shown)))
	require.NoError(t, err)
	require.Equal(t, shown, retyped, "the view is what its Go type shows")
}

func TestColumns(t *testing.T) {
	cells := func(r server.Resource, document string) []any {
		var out []any
		for _, column := range r.Versions[0].Columns {
			out = append(out, column.Value(decode(t, r, document)))
		}
		return out
	}
	require.Equal(t, []any{int64(3), "<unknown>"}, cells(ConfigMaps(), `{"data":{"a":"","b":""},"binaryData":{"c":""}}`))
	require.Equal(t, []any{"Opaque", int64(1), "<unknown>"}, cells(Secrets(), `{"type":"Opaque","data":{"a":""}}`))
	require.Equal(t, []any{"me", "<unknown>"}, cells(Leases(), `{"spec":{"holderIdentity":"me"}}`))
	require.Equal(t,
		[]any{"<unknown>", "Normal", "R", "pod/p", "spec", "c, h", "m", "<unknown>", int64(1), "e"},
		cells(Events(), `{"metadata":{"name":"e"},"type":"Normal","reason":"R","message":" m ",
			"involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec"},"source":{"component":"c","host":"h"}}`))
}

func TestSecretsWithoutAUsableCertificateAreWarnedOf(t *testing.T) {
	secret := func(kind, certificate string) object.Object {
		return object.Object{"type": kind, "data": map[string]any{"tls.crt": certificate, "tls.key": ""}}
	}
	warn := Secrets().Warn
	require.Equal(t, []string{"tls: failed to find any PEM data in certificate input"}, warn(secret("kubernetes.io/tls", ""), nil))
	require.Empty(t, warn(secret("Opaque", ""), nil))
}
