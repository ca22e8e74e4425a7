package gc_test

import (
	"net/url"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

func TestParseDeleteOptions(t *testing.T) {
	tests := []struct {
		name, body string
		want       gc.DeleteOptions
		fails      string
	}{
		{name: "null", body: `null`},
		{name: "empty", body: `{}`},
		{name: "nulls", body: `{"gracePeriodSeconds":null,"preconditions":null,"dryRun":null}`},
		{name: "the version of another group", body: `{"apiVersion":"apps/v1","kind":"DeleteOptions","dryRun":["All"]}`, want: gc.DeleteOptions{DryRun: []string{"All"}}},
		{name: "unknown fields", body: `{"frobnicate":true,"orphanDependents":false}`, want: gc.DeleteOptions{OrphanDependents: to(false)}},
		{
			name: "all fields",
			body: `{"gracePeriodSeconds":-1,"propagationPolicy":"","preconditions":{"uid":"u","resourceVersion":"7"}}`,
			want: gc.DeleteOptions{
				GracePeriodSeconds: to(int64(-1)), PropagationPolicy: to(""),
				Preconditions: &gc.Preconditions{UID: to("u"), ResourceVersion: to("7")},
			},
		},
		{name: "another kind", body: `{"apiVersion":"v1","kind":"ConfigMap"}`, fails: `no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`},
		{name: "another kind that says no version", body: `{"kind":"ConfigMap"}`, fails: `no kind "ConfigMap" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`},
		{name: "a version that is none", body: `{"apiVersion":"a/b/c","kind":"ConfigMap"}`, fails: "unexpected GroupVersion string: a/b/c"},
		{name: "a text for a flag", body: `{"ignoreStoreReadErrorWithClusterBreakingPotential":"x"}`, fails: "json: cannot unmarshal string into Go struct field DeleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential of type bool"},
		{name: "a text for a number", body: `{"gracePeriodSeconds":"soon"}`, fails: "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64"},
		{name: "a fraction", body: `{"gracePeriodSeconds":1.5}`, fails: "json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64"},
		{name: "a text for a list", body: `{"dryRun":"All"}`, fails: "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string"},
		{name: "a number in a list", body: `{"dryRun":[1]}`, fails: "json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string"},
		{name: "a list for an object", body: `{"preconditions":[]}`, fails: "json: cannot unmarshal array into Go struct field DeleteOptions.preconditions of type v1.Preconditions"},
		{name: "a flag for a text", body: `{"preconditions":{"uid":true}}`, fails: "json: cannot unmarshal bool into Go struct field Preconditions.preconditions.uid of type types.UID"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := object.Decode([]byte(tt.body))
			require.NoError(t, err)
			got, err := gc.ParseDeleteOptions(doc)
			checkOptions(t, got, err, tt.want, tt.fails)
		})
	}
}

func TestQueryDeleteOptions(t *testing.T) {
	tests := []struct {
		name, query string
		want        gc.DeleteOptions
		fails       string
	}{
		{name: "none", query: "pretty=1"},
		{name: "numbers and lists", query: "gracePeriodSeconds=3&dryRun=All&dryRun=x", want: gc.DeleteOptions{GracePeriodSeconds: to(int64(3)), DryRun: []string{"All", "x"}}},
		{name: "any word is true", query: "orphanDependents=perhaps", want: gc.DeleteOptions{OrphanDependents: to(true)}},
		{name: "so is none", query: "orphanDependents=", want: gc.DeleteOptions{OrphanDependents: to(true)}},
		{name: "but not false", query: "orphanDependents=False", want: gc.DeleteOptions{OrphanDependents: to(false)}},
		{name: "nor zero", query: "orphanDependents=0", want: gc.DeleteOptions{OrphanDependents: to(false)}},
		{name: "what cannot be read", query: "ignoreStoreReadErrorWithClusterBreakingPotential=1", want: gc.DeleteOptions{IgnoreReadErrors: to(true)}},
		{name: "preconditions", query: "uid=u&resourceVersion=7", want: gc.DeleteOptions{Preconditions: &gc.Preconditions{UID: to("u"), ResourceVersion: to("7")}}},
		{name: "empty preconditions are none", query: "uid=&resourceVersion="},
		{name: "an empty policy is one", query: "propagationPolicy=", want: gc.DeleteOptions{PropagationPolicy: to("")}},
		{name: "no number", query: "gracePeriodSeconds=soon", fails: `strconv.ParseInt: parsing "soon": invalid syntax`},
		{name: "too large a number", query: "gracePeriodSeconds=99999999999999999999", fails: `strconv.ParseInt: parsing "99999999999999999999": value out of range`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			query, err := url.ParseQuery(tt.query)
			require.NoError(t, err)
			got, err := gc.QueryDeleteOptions(query)
			checkOptions(t, got, err, tt.want, tt.fails)
		})
	}
}

func checkOptions(t *testing.T, got gc.DeleteOptions, err error, want gc.DeleteOptions, fails string) {
	t.Helper()
	if fails == "" {
		require.NoError(t, err)
		require.Equal(t, want, got)
		return
	}
	status := object.AsStatus(err)
	require.Equal(t, object.ErrBadRequest, status.Reason)
	require.Equal(t, fails, status.Message)
}

func TestDeleteOptionsValidate(t *testing.T) {
	const policies = `supported values: "Foreground", "Background", "Orphan", "nil"`
	tests := []struct {
		name string
		opts gc.DeleteOptions
		want []string
	}{
		{name: "none"},
		{name: "all well", opts: gc.DeleteOptions{PropagationPolicy: to(gc.Foreground), DryRun: []string{"All", "All"}}},
		{name: "an unknown policy", opts: gc.DeleteOptions{PropagationPolicy: to("background")}, want: []string{`propagationPolicy: Unsupported value: "background": ` + policies}},
		{name: "an empty policy", opts: gc.DeleteOptions{PropagationPolicy: to("")}, want: []string{`propagationPolicy: Unsupported value: "": ` + policies}},
		{name: "a policy said twice", opts: gc.DeleteOptions{PropagationPolicy: to(gc.Orphan), OrphanDependents: to(true)}, want: []string{`propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`}},
		{name: "an unknown dry run", opts: gc.DeleteOptions{DryRun: []string{"All", "Some"}}, want: []string{`dryRun: Unsupported value: ["All","Some"]: supported values: "All"`}},
		{name: "what cannot be read", opts: gc.DeleteOptions{IgnoreReadErrors: to(true)}},
		{
			name: "what cannot be read, with more",
			opts: gc.DeleteOptions{IgnoreReadErrors: to(true), PropagationPolicy: to(gc.Orphan), GracePeriodSeconds: to(int64(0)), Preconditions: &gc.Preconditions{}},
			want: []string{
				`ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .propagationPolicy`,
				`ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .gracePeriodSeconds`,
				`ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .preconditions`,
			},
		},
		{
			name: "what cannot be read is deleted without further ado",
			opts: gc.DeleteOptions{IgnoreReadErrors: to(true), PropagationPolicy: to(gc.Orphan), GracePeriodSeconds: to(int64(1)), Preconditions: &gc.Preconditions{}},
			want: []string{
				"ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .propagationPolicy",
				"ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .gracePeriodSeconds",
				"ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .preconditions",
			},
		},
		{name: "what can be read as well", opts: gc.DeleteOptions{IgnoreReadErrors: to(false), PropagationPolicy: to(gc.Orphan)}},
		{
			name: "several at once", opts: gc.DeleteOptions{PropagationPolicy: to("x"), OrphanDependents: to(false), DryRun: []string{""}},
			want: []string{
				`propagationPolicy: Invalid value: "x": orphanDependents and deletionPropagation cannot be both set`,
				`propagationPolicy: Unsupported value: "x": ` + policies,
				`dryRun: Unsupported value: [""]: supported values: "All"`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.opts.Validate()
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			status := object.AsStatus(err)
			require.Equal(t, 422, status.Code)
			require.Equal(t, "meta.k8s.io", status.Details.Group)
			require.Equal(t, "DeleteOptions", status.Details.Kind)
			var got []string
			for _, cause := range status.Details.Causes {
				got = append(got, cause.Field+": "+cause.Message)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// FuzzParseDeleteOptions holds that any document gives options or a BadRequest.
func FuzzParseDeleteOptions(f *testing.F) {
	f.Add([]byte(`{"gracePeriodSeconds":1e3,"preconditions":{"uid":null},"dryRun":["All"]}`))
	f.Add([]byte(`{"gracePeriodSeconds":1e300,"propagationPolicy":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := object.Decode(data)
		if err != nil {
			t.Skip()
		}
		opts, err := gc.ParseDeleteOptions(doc)
		if err != nil {
			require.ErrorIs(t, err, object.ErrBadRequest)
			return
		}
		if err := opts.Validate(); err != nil {
			require.ErrorIs(t, err, object.ErrInvalid)
		}
	})
}
