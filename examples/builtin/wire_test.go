package builtin

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// goCodec is what the tests know of a codec: the type that it is of.
type goCodec interface{ goType() reflect.Type }

// goMessage is what the types of k8s.io/api can do in protobuf.
type goMessage interface {
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// wireKind is a kind whose messages are compared with those of its type.
type wireKind struct {
	name  string
	shape *shape
	empty func() goMessage
}

func wireKinds() []wireKind {
	all := newTypes()
	var kinds []wireKind
	for _, r := range Resources() {
		for _, v := range r.Versions {
			goType := v.Codec.(goCodec).goType()
			kinds = append(kinds, wireKind{
				fmt.Sprintf("%s %s", r.Kind, v.Name), all.shape(goType),
				func() goMessage { return reflect.New(goType).Interface().(goMessage) },
			})
		}
	}
	return kinds
}

// checkEncoding holds messages of documents to those of the type. It says whether it needed
// no value of the type.
func (k wireKind) checkEncoding(t *testing.T, document []byte) bool {
	t.Helper()
	var e encoder
	got, ok := e.appendMessage([]byte("ahead"), k.shape, document)
	if !ok {
		require.Equal(t, "ahead", string(got))
		return false
	}
	want, err := encodeMessage(document, k.empty())
	require.NoError(t, err, "%s of %s", k.name, document)
	require.Equal(t, "ahead"+string(want), string(got), "%s of %s", k.name, document)
	return true
}

// checkDecoding holds documents of messages to those of the type.
func (k wireKind) checkDecoding(t *testing.T, message []byte) bool {
	t.Helper()
	var d decoder
	got, ok := d.document(k.shape, message)
	if !ok {
		return false
	}
	want, err := decodeMessage(message, k.empty())
	require.NoError(t, err, "%s of %x", k.name, message)
	require.Equal(t, want, object.Object(got), "%s of %x", k.name, message)
	return true
}

func TestMessagesAreThoseOfTheType(t *testing.T) {
	for _, k := range wireKinds() {
		t.Run(k.name, func(t *testing.T) {
			fuzz, random := wireFiller(t), rand.New(rand.NewSource(2))
			quick := k.name != "ControllerRevision v1" // whose data may be anything
			for range 10 {
				typed := k.empty()
				fuzz.Fill(typed)
				message, err := typed.Marshal()
				require.NoError(t, err)
				require.Equal(t, quick, k.checkDecoding(t, message), "needs no value of the type: %x", message)
				o, err := decodeMessage(message, k.empty())
				require.NoError(t, err)
				document := object.AppendJSON(nil, o)
				require.Equal(t, quick, k.checkEncoding(t, document), "needs no value of the type: %s", document)
				for range 10 {
					k.checkDecoding(t, mutatedBytes(random, message))
					k.checkEncoding(t, object.AppendJSON(nil, mutated(random, map[string]any(o.DeepCopy()))))
				}
			}
		})
	}
}

// wireFiller fills values with what can be in JSON as well.
func wireFiller(t *testing.T) *randfill.Filler {
	fuzz := filler(t)
	fuzz.Funcs(func(v *intstr.IntOrString, c randfill.Continue) {
		*v = intstr.FromInt32(c.Int31())
		if c.Bool() {
			*v = intstr.FromString(c.String(0))
		}
	}, func(v *runtime.RawExtension, _ randfill.Continue) {
		v.Raw = []byte(`{"a":[1,"b",null]}`)
	}, func(v *metav1.FieldsV1, _ randfill.Continue) {
		v.SetRawString(`{"f:a":{"k:{\"b\":\"c\"}":{"k:{\"d\":1}":{".":{}},"f:\u00fc":{}},"f:e":{}}}`)
	}, func(v *metav1.ManagedFieldsEntry, c randfill.Continue) { c.FillNoCustom(v) })
	return fuzz
}

// mutatedBytes changes something at random.
func mutatedBytes(random *rand.Rand, data []byte) []byte {
	changed := bytes.Clone(data)
	if len(changed) == 0 {
		return changed
	}
	i := random.Intn(len(changed))
	switch random.Intn(4) {
	case 0:
		return changed[:i]
	case 1:
		return append(changed[:i], changed[min(i+1+random.Intn(4), len(changed)):]...)
	case 2:
		changed[i] ^= 1 << random.Intn(8)
	case 3:
		changed[i] = byte(random.Intn(256))
	}
	return changed
}

func TestEncodeMessage(t *testing.T) {
	tests := map[string]struct {
		document string
		quick    bool
	}{
		"members in any order":                      {`{"spec":{"nodeName":"n","hostname":"h"},"metadata":{"name":"a"}}`, true},
		"nothing":                                   {`{}`, true},
		"white space":                               {" {\n\t\"metadata\" : { } }\r\n", true},
		"a type":                                    {`{"kind":"Other","apiVersion":"v2"}`, true},
		"nulls":                                     {`{"metadata":null,"spec":{"containers":null,"priority":null,"nodeSelector":null}}`, true},
		"empty lists and maps":                      {`{"spec":{"containers":[],"nodeSelector":{},"priority":0}}`, true},
		"an empty struct behind a pointer":          {`{"spec":{"affinity":{},"containers":[{"livenessProbe":{}}]}}`, true},
		"members of embedded structs":               {`{"spec":{"volumes":[{"name":"v","secret":{"secretName":"s"}}],"containers":[{"livenessProbe":{"exec":{"command":["a",""]}}}]}}`, true},
		"escapes":                                   {`{"metadata":{"name":"\"\\\/\b\f\n\r\t\u00fc\u20AC","labels":{"\u0041":"a","b\"":"c"}}}`, true},
		"half a character":                          {`{"metadata":{"name":"\ud83d"}}`, false},
		"a character in two escapes":                {`{"metadata":{"name":"\ud83d\ude00"}}`, false},
		"bytes that are no UTF-8":                   {"{\"metadata\":{\"name\":\"\xff\"}}", false},
		"the keys of a map out of order":            {`{"metadata":{"labels":{"b":"1","a":"2"}}}`, false},
		"keys of a map twice":                       {`{"metadata":{"labels":{"a":"1","a":"2"}}}`, false},
		"a member twice":                            {`{"metadata":{"name":"a","name":"b"}}`, false},
		"a null in a list":                          {`{"spec":{"containers":[null]}}`, false},
		"a null in a map":                           {`{"metadata":{"labels":{"a":null}}}`, false},
		"an unknown member":                         {`{"spec":{"a":1}}`, false},
		"a member in another case":                  {`{"Spec":{}}`, false},
		"amounts":                                   {`{"spec":{"overhead":{"cpu":"100m","memory":"1500Mi"}}}`, true},
		"an amount in another form":                 {`{"spec":{"overhead":{"cpu":"0.1"}}}`, false},
		"an amount that is a number":                {`{"spec":{"overhead":{"cpu":1}}}`, false},
		"numbers and texts":                         {`{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":"\n"}}},{"livenessProbe":{"httpGet":{"port":-2}}},{"livenessProbe":{"httpGet":{"port":""}}}]}}`, true},
		"negative numbers":                          {`{"metadata":{"generation":-9007199254740993},"spec":{"priority":-1}}`, true},
		"the smallest number":                       {`{"metadata":{"generation":-9223372036854775808}}`, false},
		"a number with an exponent":                 {`{"metadata":{"generation":1e1}}`, false},
		"a number that begins with 0":               {`{"metadata":{"generation":01}}`, false},
		"a number too large for its member":         {`{"spec":{"priority":2147483648}}`, false},
		"times":                                     {`{"metadata":{"creationTimestamp":"2024-01-02T05:04:05+02:00","deletionTimestamp":"1969-12-31T23:59:59Z"}}`, true},
		"the zero time":                             {`{"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z","deletionTimestamp":"0001-01-01T00:00:00Z"}}`, true},
		"no time":                                   {`{"metadata":{"creationTimestamp":"yesterday"}}`, false},
		"a set of fields as it stands":              {`{"metadata":{"managedFields":[{"fieldsV1": {"f:a" :{ },"k:{\"n\":1}":{".":{}}} ,"time":"2024-01-02T03:04:05Z"}]}}`, true},
		"an empty set of fields":                    {`{"metadata":{"managedFields":[{"fieldsV1":{}},{"fieldsV1":null}]}}`, true},
		"what is no set of fields":                  {`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":1}}]}}`, false},
		"half a document":                           {`{"metadata":{"name":"a"`, false},
		"more than a document":                      {`{} {}`, false},
		"a document of another sort":                {`[]`, false},
		"a text for a struct":                       {`{"metadata":"a"}`, false},
		"a struct for a text":                       {`{"metadata":{"name":{}}}`, false},
		"a comma too many":                          {`{"metadata":{"name":"a",}}`, false},
		"a control character":                       {"{\"metadata\":{\"name\":\"\n\"}}", false},
		"an escape that there is none of":           {`{"metadata":{"name":"\x"}}`, false},
		"a backslash at the end of half a document": {`{"metadata":{"name":"\`, false},
	}
	pod := wireKindOf[corev1.Pod]()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.quick, pod.checkEncoding(t, []byte(tc.document)))
		})
	}
}

func TestDecodeMessage(t *testing.T) {
	tests := map[string]struct {
		message string
		quick   bool
	}{
		"nothing":                         {"", true},
		"empty parts":                     {"\x0a\x00\x12\x00\x1a\x00", true},
		"a text":                          {"\x0a\x03\x0a\x01a", true},
		"a text that is no UTF-8":         {"\x0a\x03\x0a\x01\xff", true},
		"a map":                           {"\x0a\x08\x5a\x06\x0a\x01a\x12\x01b", true},
		"a key twice":                     {"\x0a\x10\x5a\x06\x0a\x01a\x12\x01b\x5a\x06\x0a\x01a\x12\x01c", true},
		"a map of nothing":                {"\x0a\x02\x5a\x00", false},
		"a key without a value":           {"\x0a\x05\x5a\x03\x0a\x01a", false},
		"a value in front of its key":     {"\x0a\x08\x5a\x06\x12\x01b\x0a\x01a", false},
		"a member twice":                  {"\x0a\x03\x0a\x01a\x0a\x03\x12\x01b", false},
		"members out of order":            {"\x12\x00\x0a\x00", false},
		"a list in two places":            {"\x0a\x0b\x72\x01a\x8a\x01\x02\x12\x00\x72\x01b", false},
		"a member that is unknown":        {"\xfa\x01\x01a", false},
		"a wrong sort of value":           {"\x08\x01", false},
		"a group":                         {"\x0b\x0c", false},
		"half a message":                  {"\x0a\x05\x0a\x01", false},
		"half a number":                   {"\x0a\x02\x38\x80", false},
		"a number that is too long":       {"\x0a\x0c\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false},
		"the smallest number":             {"\x0a\x0b\x38\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", true},
		"a number too large for its type": {"\x12\x07\xc8\x01\x80\x80\x80\x80\x10", false},
		"a time":                          {"\x0a\x06\x42\x04\x08\x01\x10\x00", true},
		"a time with parts of seconds":    {"\x0a\x06\x42\x04\x08\x01\x10\x05", true},
		"a time of seconds alone":         {"\x0a\x04\x42\x02\x08\x01", false},
		"an empty time":                   {"\x0a\x04\x42\x00\x4a\x00", true},
		"fields in fields, with escapes":  {"\x0a\x32\x8a\x01\x2f\x3a\x2d\x0a\x2b" + `{"k:{\"a\":1}":{"k:{\"b\":2}":{},"f:c":{}}}`, true},
		"fields that are no JSON":         {"\x0a\x08\x8a\x01\x05\x3a\x03\x0a\x01a", false},
		"an amount in another form":       {"\x12\x10\x82\x02\x0d\x0a\x03cpu\x12\x06\x0a\x041000", false},
	}
	pod := wireKindOf[corev1.Pod]()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.quick, pod.checkDecoding(t, []byte(tc.message)))
			want, wantErr := decodeMessage([]byte(tc.message), &corev1.Pod{})
			got, err := Codec[corev1.Pod]().DecodeProtobuf([]byte(tc.message))
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		})
	}
}

func wireKindOf[T any, P message[T]]() wireKind {
	return wireKind{"", shapeOf[T](), func() goMessage { return P(new(T)) }}
}

func TestTypesThatLayoutsDoNotKnow(t *testing.T) {
	t.Run("a list with a message of its own", func(t *testing.T) {
		k := wireKindOf[authenticationv1.TokenReview]()
		require.False(t, k.checkEncoding(t, []byte(`{"status":{"user":{"extra":{"a":["b"]}}}}`)))
		require.False(t, k.checkDecoding(t, nil))
	})
	t.Run("a member without a number", func(t *testing.T) {
		require.True(t, shapeOf[everyForm]().layout.unknown)
	})
}
