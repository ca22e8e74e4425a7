package server

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The bytes of these tests were written by the API's own encoders.

func TestEnvelope(t *testing.T) {
	configMap := object.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}
	data := appendEnvelope(nil, configMap, []byte{0x12, 0x06, 0x0a, 0x01, 'k', 0x12, 0x01, 'v'})
	require.Equal(t, "6b387300"+"0a0f0a02763112"+"09436f6e6669674d6170"+"1208"+"12060a016b120176"+"1a00"+"2200", hex.EncodeToString(data))

	got, raw, err := decodeEnvelope(data)
	require.NoError(t, err)
	require.Equal(t, configMap, got)
	require.Equal(t, "12060a016b120176", hex.EncodeToString(raw))
}

func TestDocumentsThatAreNoProtobuf(t *testing.T) {
	for _, test := range []struct{ name, data, err string }{
		{"nothing", "", "empty data"},
		{"something else", "not protobuf", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"},
		{"short", "k8s", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"},
		{"prefix only", "k8s\x00", "empty body"},
		{"cut off", "k8s\x00\x0a\x20abc", "unexpected EOF"},
		{"no field", "k8s\x00\x00", "proto: Unknown: illegal tag 0 (wire type 0)"},
		{"the end of a group", "k8s\x00\x0c", "proto: Unknown: wiretype end group for non-group"},
		{"no type of wire", "k8s\x00\x0e", "proto: illegal wireType 6"},
		{"type cut off", "k8s\x00\x0a\x02\x0a\x05", "unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := decodeEnvelope([]byte(test.data))
			require.EqualError(t, err, test.err)
		})
	}
}

func TestListEnvelope(t *testing.T) {
	remaining := int64(300)
	m := object.ListMeta{ResourceVersion: "7", Continue: "c", RemainingItemCount: &remaining}
	items := []byte{0x12, 0x02, 0x0a, 0x00, 0x12, 0x00}
	data := appendListEnvelopeHead(nil, object.TypeMeta{Kind: "L", APIVersion: "v1"}, m, len(items))
	data = appendEnvelopeTail(append(data, items...))
	require.Equal(t, "6b3873000a070a02763112014c"+"1213"+"0a0b0a00120137"+"1a0163"+"20ac02"+"12020a00"+"1200"+"1a002200", hex.EncodeToString(data))
}

func TestWatchFrame(t *testing.T) {
	require.Equal(t, "0000000e"+"0a054144444544"+"1205"+"0a03"+"616263", hex.EncodeToString(appendWatchFrame(nil, object.Added, []byte("abc"))))
}

func TestStatusProtobuf(t *testing.T) {
	s := object.NotFound(object.GroupResource{Resource: "pods"}, "a").Status
	require.Equal(t, "6b3873000a0c0a027631120653746174757312430a060a0012001a0012074661696c7572651a12706f64732022612220"+
		"6e6f7420666f756e6422084e6f74466f756e642a0f0a016112001a04706f6473280032003094031a002200",
		hex.EncodeToString(appendStatusProtobuf(nil, &s)))
}

func TestPartialMessage(t *testing.T) {
	for _, test := range []struct{ name, metadata, want string }{
		{"nothing set", `{}`, "0a100a0012001a0022002a00320038004200"},
		{"labels and finalizers", `{"labels":{"l":"1"},"finalizers":["f"]}`, "0a1b0a0012001a0022002a003200380042005a060a016c120131720166"},
		{
			"everything set", `{"name":"n","generateName":"g","namespace":"ns","selfLink":"s","uid":"u","resourceVersion":"1","generation":3,
			"creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":"2026-01-02T03:04:06Z","deletionGracePeriodSeconds":0,
			"labels":{"a":"b","A":"c","":""},"annotations":{"x":"y"},
			"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":true,"blockOwnerDeletion":false},{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}],
			"finalizers":["a","b"],"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z",
			"fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}}},"subresource":"status"},{}]}`,
			"0acc010a016e1201671a026e732201732a01753201313803420808a5ebdcca0610004a0808a6ebdcca06100050005a040a0012005a060a01411201635a060a016112016262060a01781201796a11" +
				"0a014b1a016e2201752a027631300138006a0d0a014b1a016e2201752a0276317201617201628a014b0a016d12065570646174651a027631220808a5ebdcca06100032084669656c647356313a1e" +
				"0a1c7b22663a64617461223a7b222e223a7b7d2c22663a6b223a7b7d7d7d42067374617475738a010a0a0012001a0032004200",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			metadata, err := object.Decode([]byte(test.metadata))
			require.NoError(t, err)
			require.Equal(t, test.want, hex.EncodeToString(appendPartialMessage(nil, object.AppendJSON(nil, metadata), "")))
		})
	}
}

func TestLongMessagesMoveForTheirLength(t *testing.T) {
	long := make([]byte, 300)
	data := appendMessage([]byte("before"), 2, func(dst []byte) []byte { return append(dst, long...) })
	require.Equal(t, append([]byte("before\x12\xac\x02"), long...), data)
}

func TestDeleteOptionsMessage(t *testing.T) {
	var data []byte
	data = appendIntField(data, 1, 30)
	data = appendMessage(data, 2, func(dst []byte) []byte {
		return appendStringField(appendStringField(dst, 1, "u"), 2, "7")
	})
	data = appendBoolField(data, 3, false)
	data = appendStringField(data, 4, "Foreground")
	data = appendStringField(data, 5, "All")
	o, err := decodeDeleteOptionsMessage(data)
	require.NoError(t, err)
	require.Equal(t, object.Object{
		"gracePeriodSeconds": int64(30),
		"preconditions":      map[string]any{"uid": "u", "resourceVersion": "7"},
		"orphanDependents":   false,
		"propagationPolicy":  "Foreground",
		"dryRun":             []any{"All"},
	}, o)

	_, err = decodeDeleteOptionsMessage([]byte{0x08})
	require.ErrorContains(t, err, "reading DeleteOptions: unexpected EOF")
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte("k8s\x00\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x00\x1a\x00\x22\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, raw, err := decodeEnvelope(data)
		if err != nil {
			return
		}
		again, rawAgain, err := decodeEnvelope(appendEnvelope(nil, kind, raw))
		require.NoError(t, err)
		require.Equal(t, kind, again)
		require.Equal(t, string(raw), string(rawAgain))
	})
}

func FuzzDeleteOptionsMessage(f *testing.F) {
	f.Add([]byte{0x08, 0x1e, 0x12, 0x03, 0x0a, 0x01, 'u'})
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := decodeDeleteOptionsMessage(data); err == nil {
			object.AppendJSON(nil, map[string]any(o))
		}
	})
}

func BenchmarkPartialMessage(b *testing.B) {
	m := map[string]any{
		"name": "a", "namespace": "default", "uid": "9d2d0f5e-6e6f-4a6b-8f0e-0a1b2c3d4e5f", "resourceVersion": "12345",
		"creationTimestamp": "2026-01-02T03:04:05Z", "labels": map[string]any{"app": "web", "tier": "front"},
	}
	raw := object.AppendJSON(nil, m)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = appendPartialMessage(dst[:0], raw, "")
	}
}
