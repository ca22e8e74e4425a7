package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

const road = `{apiVersion: example.com/v1, kind: Road, metadata: {name: a, namespace: b, uid: u, labels: {x: w}}, spec: {length: 1}}`

func roads(t testing.TB) *definition.Definition {
	o := edited(t, "  names:", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v9, v1], clientConfig: {service: {namespace: ns, name: s, path: /p}, caBundle: IA==}}}\n  names:")
	d, err := new(definition.Shared).Parse(o)
	require.NoError(t, err)
	return d
}

func TestWebhooksOfConversions(t *testing.T) {
	require.Equal(t, &definition.Webhook{
		Service:        &definition.Service{Namespace: "ns", Name: "s", Path: "/p", Port: 443},
		ReviewVersions: []string{"v9", "v1"},
	}, roads(t).Conversion.Webhook, "certificates that are blank are none")
}

func TestReviewsAskForConversion(t *testing.T) {
	review, err := roads(t).Review("id", "v2", []object.Object{document(t, road)})
	require.NoError(t, err)
	require.Equal(t, document(t, `{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview,
  request: {uid: id, desiredAPIVersion: example.com/v2, objects: [`+road+`]},
  response: {uid: '', convertedObjects: null, result: {metadata: {}}}}`), review)
	d := roads(t)
	d.Conversion.Webhook.ReviewVersions = []string{"v9"}
	_, err = d.Review("id", "v2", nil)
	require.EqualError(t, err, "no supported conversion review versions")
}

func TestConvertedObjectsAreTakenFromTheAnswer(t *testing.T) {
	const head = "conversion webhook for example.com/v1, Kind=Road "
	answer := func(object string) string {
		return `{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview, response: {uid: id, result: {status: Success}, convertedObjects: [` + object + `]}}`
	}
	for _, test := range []struct{ name, answer, want, problem string }{
		{name: "labels and annotations change, other metadata doesn't",
			answer: answer(`{apiVersion: example.com/v2, kind: Road, metadata: {name: a, namespace: b, uid: u, generation: 7, labels: {x: z}, annotations: {c: d}}, spec: {km: 1}}`),
			want:   `{apiVersion: example.com/v2, kind: Road, metadata: {name: a, namespace: b, uid: u, labels: {x: z}, annotations: {c: d}}, spec: {km: 1}}`},
		{name: "labels go", answer: answer(`{apiVersion: example.com/v2, kind: Road, metadata: {name: a, namespace: b, uid: u}}`),
			want: `{apiVersion: example.com/v2, kind: Road, metadata: {name: a, namespace: b, uid: u}}`},
		{name: "another kind of answer", answer: `{apiVersion: v1, kind: Pod}`,
			problem: head + "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Pod"},
		{name: "no response", answer: `{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview}`, problem: head + "failed: no response provided"},
		{name: "the answer to another", answer: `{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview, response: {uid: other}}`,
			problem: head + `failed: expected response.uid="id", got "other"`},
		{name: "failure with a message", answer: `{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview, response: {uid: id, result: {status: Failure, message: too long}}}`,
			problem: head + "failed: too long"},
		{name: "failure without", answer: `{apiVersion: apiextensions.k8s.io/v1, kind: ConversionReview, response: {uid: id, result: {status: Failure}}}`,
			problem: head + "failed: response.result.status was 'Failure', not 'Success'"},
		{name: "too few objects", answer: answer(""), problem: head + "returned 0 objects, expected 1"},
		{name: "another version", answer: answer(`{apiVersion: example.com/v3, kind: Road}`),
			problem: head + "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)"},
		{name: "another kind", answer: answer(`{apiVersion: example.com/v2, kind: Street}`),
			problem: head + "returned invalid object at index 0: invalid kind (expected Road, received Street)"},
		{name: "no kind", answer: answer(`{apiVersion: example.com/v2}`), problem: `Object 'Kind' is missing in '{"apiVersion":"example.com/v2"}'`},
		{name: "another name", answer: answer(`{apiVersion: example.com/v2, kind: Road, metadata: {name: z, namespace: b, uid: u}}`),
			problem: head + "returned invalid object: must have the same name: a != z"},
		{name: "no metadata", answer: answer(`{apiVersion: example.com/v2, kind: Road}`), problem: head + "returned invalid object: must have the same name: a != "},
		{name: "a label that is no text", answer: answer(`{apiVersion: example.com/v2, kind: Road, metadata: {name: a, namespace: b, uid: u, labels: {c: 1}}}`),
			problem: head + "returned invalid metadata: metadata.labels[c] must be a string, but is int64 in converted object"},
		{name: "an annotation with a bad key", answer: answer(`{apiVersion: example.com/v2, kind: Road, metadata: {name: a, namespace: b, uid: u, annotations: {/: d}}}`),
			problem: head + "returned invalid metadata: [metadata.annotation: Invalid value: \"/\": prefix part must be non-empty, metadata.annotation: Invalid value: \"/\": name part must be non-empty, " +
				"metadata.annotation: Invalid value: \"/\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sent := document(t, road)
			converted, err := roads(t).Converted(document(t, test.answer), "id", "v2", []object.Object{sent})
			require.Equal(t, document(t, road), sent)
			if test.problem != "" {
				require.EqualError(t, err, test.problem)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []object.Object{document(t, test.want)}, converted)
		})
	}
}
