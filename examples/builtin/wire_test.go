package builtin

import (
	"bytes"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
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
			for range 20 {
				typed := k.empty()
				fuzz.Fill(typed)
				message, err := typed.Marshal()
				require.NoError(t, err)
				require.Equal(t, quick, k.checkDecoding(t, message), "needs no value of the type: %x", message)
				o, err := decodeMessage(message, k.empty())
				require.NoError(t, err)
				document := object.AppendJSON(nil, o)
				require.Equal(t, quick, k.checkEncoding(t, document), "needs no value of the type: %s", document)
				for range 20 {
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
	})
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
