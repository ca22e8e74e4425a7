package builtin

import (
	"encoding/json"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

func TestDecodeJSON(t *testing.T) {
	tests := map[string]struct {
		codec  server.Codec
		in     string
		want   string
		strict []string
		err    string
	}{
		"nulls and empty values go": {
			codec: Codec[corev1.ConfigMap](),
			in:    `{"metadata":{"name":"a","creationTimestamp":null,"labels":{}},"data":{"k":null},"binaryData":null}`,
			want:  `{"metadata":{"name":"a"},"data":{"k":""}}`,
		},
		"what the type always shows is shown": {
			codec: Codec[corev1.Event](),
			in:    `{"metadata":{"name":"e"},"involvedObject":{"name":"p"},"count":2}`,
			want: `{"metadata":{"name":"e"},"involvedObject":{"name":"p"},"count":2,"source":{},"eventTime":null,
				"firstTimestamp":null,"lastTimestamp":null,"reportingComponent":"","reportingInstance":""}`,
		},
		"times are in UTC and to their precision": {
			codec: Codec[coordinationv1.Lease](),
			in:    `{"metadata":{"creationTimestamp":"2024-01-02T05:04:05+02:00"},"spec":{"renewTime":"2024-01-02T05:04:05.100000+02:00"}}`,
			want:  `{"metadata":{"creationTimestamp":"2024-01-02T03:04:05Z"},"spec":{"renewTime":"2024-01-02T03:04:05.100000Z"}}`,
		},
		"unknown and duplicate fields are named": {
			codec:  Codec[corev1.ConfigMap](),
			in:     `{"metadata":{"name":"a","nmae":"b"},"data":{"k":"1","k":"2"},"Data":{},"data":{"k":"3"}}`,
			want:   `{"metadata":{"name":"a"},"data":{"k":"3"}}`,
			strict: []string{`unknown field "metadata.nmae"`, `duplicate field "data.k"`, `unknown field "Data"`, `duplicate field "data"`},
		},
		"wrong type": {
			codec: Codec[corev1.ConfigMap](), in: `{"data":{"k":1}}`,
			err: "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
		},
		"bad base64": {
			codec: Codec[corev1.Secret](), in: `{"data":{"k":"***"}}`,
			err: "illegal base64 data at input byte 0",
		},
		"bad time": {
			codec: Codec[coordinationv1.Lease](), in: `{"spec":{"renewTime":"2024-01-02T03:04:05Z"}}`,
			err: `parsing time "2024-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o, strict, err := tc.codec.DecodeJSON([]byte(tc.in))
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.strict, strict)
			got, err := json.Marshal(map[string]any(o))
			require.NoError(t, err)
			require.JSONEq(t, tc.want, string(got))
		})
	}
}

func TestAnyObjectSurvivesBothEncodings(t *testing.T) {
	fuzz := filler(t)
	roundTrip[corev1.ConfigMap](t, fuzz)
	roundTrip[corev1.Secret](t, fuzz)
	roundTrip[corev1.Namespace](t, fuzz)
	roundTrip[corev1.ServiceAccount](t, fuzz)
	roundTrip[corev1.Event](t, fuzz)
	roundTrip[eventsv1.Event](t, fuzz)
	roundTrip[coordinationv1.Lease](t, fuzz)
	roundTrip[schedulingv1.PriorityClass](t, fuzz)
}

// roundTrip fills objects of a type at random and compares what the codec makes
// of them with what encoding/json does, and protobuf with JSON.
func roundTrip[T any, P message[T]](t *testing.T, fuzz *randfill.Filler) {
	codec := Codec[T, P]()
	for range 200 {
		typed := P(new(T))
		fuzz.Fill(typed)
		document, err := json.Marshal(typed)
		require.NoError(t, err)
		want, err := object.Decode(document)
		require.NoError(t, err)

		got, strict, err := codec.DecodeJSON(document)
		require.NoError(t, err)
		require.Empty(t, strict)
		require.Equal(t, want, got)

		data, err := codec.AppendProtobuf(nil, document)
		require.NoError(t, err)
		back, err := codec.DecodeProtobuf(data)
		require.NoError(t, err)
		delete(want, "kind") // the envelope has them
		delete(want, "apiVersion")
		require.Equal(t, want, back)
	}
}

func filler(t *testing.T) *randfill.Filler {
	t.Helper()
	scheme := runtime.NewScheme()
	fuzz := randfill.New().NilChance(0.5).NumElements(1, 3).RandSource(rand.NewSource(1))
	fuzz.Funcs(metafuzzer.Funcs(serializer.NewCodecFactory(scheme))...)
	fuzz.Funcs(func(b *[]byte, c randfill.Continue) { // no nil: JSON and protobuf differ on it
		*b = []byte(c.String(0))
	})
	fuzz.Funcs(func(m *metav1.ManagedFieldsEntry, c randfill.Continue) {
		m.Manager, m.Operation, m.FieldsType = c.String(0), metav1.ManagedFieldsOperationUpdate, "FieldsV1"
		m.FieldsV1 = metav1.NewFieldsV1(`{"f:data":{".":{},"f:k":{}}}`)
	})
	return fuzz
}

var benchmarkDocument = []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"object-000001","namespace":"default",` +
	`"labels":{"app":"bench","tier":"back"},"creationTimestamp":null},"data":{` +
	`"a":"` + text256 + `","b":"` + text256 + `","c":"` + text256 + `"}}`)

const text256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" +
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" +
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" +
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func BenchmarkDecodeJSON(b *testing.B) {
	codec := Codec[corev1.ConfigMap]()
	for name, decode := range map[string]func() (object.Object, []string, error){
		"that the type would write": func() (object.Object, []string, error) { return codec.DecodeJSON(benchmarkDocument) },
		"by way of the type":        func() (object.Object, []string, error) { return decodeTyped(benchmarkDocument, new(corev1.ConfigMap)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(benchmarkDocument)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
