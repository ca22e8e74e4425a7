package webhook

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// FuzzAnswer holds the answers of webhooks to this: each is understood or refused with a
// reason, and only one that says so allows anything.
func FuzzAnswer(f *testing.F) {
	for _, answer := range []string{
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":true}}`,
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","patchType":"JSONPatch","patch":"W10=","allowed":true}}`,
		`{"response":{"allowed":false,"status":{"code":409,"details":{"causes":[{"field":"a"}]}},"warnings":["a",null],"auditAnnotations":{"a":"b","c":null}}}`,
		`{"response":{"uid":5,"allowed":"true","patch":"-","warnings":{},"auditAnnotations":[],"status":[]}}`,
		`{"response":{"warnings":[{}],"auditAnnotations":{"a":1}}}`, `{"response":[]}`, `{}`,
	} {
		f.Add([]byte(answer))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		review, err := object.Decode(data)
		if err != nil {
			return
		}
		allowed, _ := review.Field("response", "allowed")
		for _, version := range []string{v1, v1beta1} {
			for _, mutates := range []bool{true, false} {
				a, err := readAnswer(review, version, "u", mutates)
				if err != nil {
					require.NotEmpty(t, err.Error())
					continue
				}
				require.Equal(t, a.Allowed, allowed == true)
				require.False(t, !mutates && len(a.Patch) > 0)
				status := denial("a.example.com", a.Status).Status
				require.GreaterOrEqual(t, status.Code, 400)
				require.NotEqual(t, "Success", status.Status)
			}
		}
	})
}
