package builtin

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func shapeOf[T any]() *shape { return newTypes().shape(reflect.TypeFor[T]()) }

// everyForm has members of all forms, and of types that no form describes.
type everyForm struct {
	metav1.TypeMeta `json:",inline"`
	Small           int8                   `json:"small"`
	Octet           uint8                  `json:"octet,omitempty"`
	Wide            uint64                 `json:"wide,omitempty"`
	Share           float64                `json:"share,omitempty"`
	Always          float64                `json:"always"`
	Yes             *bool                  `json:"yes,omitempty"`
	Text            *string                `json:"text"`
	Bytes           []byte                 `json:"bytes"`
	Lists           [][]string             `json:"lists,omitempty"`
	Nested          map[string][]everyForm `json:"nested,omitempty"`
	Self            *everyForm             `json:"self,omitempty"`
	Times           []metav1.Time          `json:"times,omitempty"`
	Long            *metav1.Duration       `json:"long,omitempty"`
	Amount          *resource.Quantity     `json:"amount,omitempty"`
	Hidden          string                 `json:"-"`
}

// checkShape holds the fast path to the slow one: what it accepts is what the type
// makes of the document. It says whether it accepted.
func checkShape[T any](t *testing.T, s *shape, document []byte) bool {
	t.Helper()
	o, duplicates, err := object.DecodeStrict(document)
	if err != nil || len(duplicates) > 0 || !s.fits(map[string]any(o)) {
		return false
	}
	want, strict, err := decodeTyped(document, new(T))
	require.NoError(t, err, "%s", document)
	require.Empty(t, strict, "%s", document)
	require.Equal(t, want, o, "%s", document)
	return true
}

func TestShapeAcceptsOnlyWhatTheTypeMakes(t *testing.T) {
	t.Run("ConfigMap", testShape[corev1.ConfigMap])
	t.Run("Secret", testShape[corev1.Secret])
	t.Run("Namespace", testShape[corev1.Namespace])
	t.Run("ServiceAccount", testShape[corev1.ServiceAccount])
	t.Run("Event", testShape[corev1.Event])
	t.Run("events.k8s.io Event", testShape[eventsv1.Event])
	t.Run("Lease", testShape[coordinationv1.Lease])
	t.Run("PriorityClass", testShape[schedulingv1.PriorityClass])
	t.Run("Service", testShape[corev1.Service])
	t.Run("Pod", testShape[corev1.Pod])
}

// testShape tries random documents of a type, as the type writes them and changed.
func testShape[T any](t *testing.T) {
	s, fuzz, random := shapeOf[T](), filler(t), rand.New(rand.NewSource(2))
	accepted := 0
	for range 40 {
		typed := new(T)
		fuzz.Fill(typed)
		document, err := json.Marshal(typed)
		require.NoError(t, err)
		require.True(t, checkShape[T](t, s, document), "needs no value of the type: %s", document)
		for range 30 {
			var changed any
			require.NoError(t, json.Unmarshal(document, &changed))
			for range 1 + random.Intn(3) {
				changed = mutated(random, changed)
			}
			data, err := json.Marshal(changed)
			require.NoError(t, err)
			if checkShape[T](t, s, data) {
				accepted++
			}
		}
	}
	require.NotZero(t, accepted)
}

// mutated changes something at random, often into what is nearly right.
func mutated(random *rand.Rand, v any) any {
	if random.Intn(6) == 0 {
		others := []any{
			nil, "", "a", "YQ==", "YR==", "YQ", true, false, 0, 1, -1, 0.5, 1 << 31, 1 << 40, map[string]any{}, []any{},
			"2024-01-02T03:04:05Z", "2024-01-02T05:04:05+02:00", "2024-01-02T03:04:05.000000Z", "0001-01-01T00:00:00Z",
			[]any{nil}, map[string]any{"a": nil}, []any{map[string]any{}},
		}
		return others[random.Intn(len(others))]
	}
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		if len(names) == 0 {
			return map[string]any{"name": "a"}
		}
		slices.Sort(names)
		name := names[random.Intn(len(names))]
		switch random.Intn(8) {
		case 0:
			delete(v, name)
		case 1:
			v[name+"x"] = v[name]
		default:
			v[name] = mutated(random, v[name])
		}
	case []any:
		if len(v) > 0 {
			i := random.Intn(len(v))
			v[i] = mutated(random, v[i])
		}
	}
	return v
}

func TestShape(t *testing.T) {
	whole := `"small":-128,"always":1.5,"text":"","bytes":""`
	tests := map[string]struct {
		members string
		fits    bool
	}{
		"as the type writes it":            {whole, true},
		"nulls and empty values that go":   {whole + `,"octet":0,"wide":null,"share":0.0,"lists":[],"nested":{},"times":null,"self":null,"yes":null`, true},
		"a false behind a pointer stays":   {whole + `,"yes":false`, true},
		"the type in itself":               {whole + `,"self":{` + whole + `},"nested":{"a":[{` + whole + `}]}`, true},
		"an empty list in a list":          {whole + `,"lists":[["a"],[]]`, true},
		"a null in a list of lists":        {whole + `,"lists":[null]`, true},
		"a null in a list of times":        {whole + `,"times":[null,"2024-01-02T03:04:05Z"]`, true},
		"a time with an offset":            {whole + `,"times":["2024-01-02T03:04:05+00:00"]`, false},
		"members missing":                  {`"always":1.5`, true},
		"a float missing":                  {`"small":1,"text":"","bytes":""`, false},
		"an amount":                        {whole + `,"amount":"1500m"`, true},
		"an amount in another form":        {whole + `,"amount":"1.5"`, false},
		"an amount that is a number":       {whole + `,"amount":1`, false},
		"an amount that could be shorter":  {whole + `,"amount":"2000m"`, false},
		"no amount":                        {whole + `,"amount":"1 k"`, false},
		"an unknown member":                {whole + `,"a":1`, false},
		"a member in the wrong case":       {whole + `,"Yes":true`, false},
		"a hidden member":                  {whole + `,"Hidden":"a"`, false},
		"a whole number for a float":       {`"small":1,"always":1,"text":"","bytes":""`, false},
		"too small a number":               {`"small":-129,"always":1.5,"text":"","bytes":""`, false},
		"too large an unsigned number":     {whole + `,"octet":256`, false},
		"a negative unsigned number":       {whole + `,"wide":-1`, false},
		"a null that the type would write": {`"small":1,"always":1.5,"text":null,"bytes":""`, true},
		"base64 with stray bits":           {`"small":1,"always":1.5,"text":"","bytes":"YR=="`, false},
		"base64 with line ends":            {`"small":1,"always":1.5,"text":"","bytes":"YQ=\n="`, false},
		"a type that writes itself":        {whole + `,"long":"1s"`, false},
		"base64":                           {`"small":1,"always":1.5,"text":"","bytes":"+/8="`, true},
	}
	s := shapeOf[everyForm]()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.fits, checkShape[everyForm](t, s, []byte("{"+tc.members+"}")))
		})
	}
}

func FuzzShape(f *testing.F) {
	f.Add(benchmarkDocument)
	f.Add([]byte(`{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:data":{}},"time":"2024-01-02T03:04:05Z"}]},"involvedObject":{}}`))
	f.Add([]byte(`{"metadata":{"labels":{"a":"\ud800"}},"data":{"k":"YQ=="},"spec":{"renewTime":"2024-01-02T03:04:05.000001Z"}}`))
	f.Add([]byte(fullPod))
	f.Add([]byte(`{"spec":{"containers":[{"resources":{"limits":{"cpu":"1.5","memory":"2048Ki"}},"livenessProbe":{"grpc":{"port":1}}}]},"status":null}`))
	configMap, secret, event, lease := shapeOf[corev1.ConfigMap](), shapeOf[corev1.Secret](), shapeOf[corev1.Event](), shapeOf[coordinationv1.Lease]()
	pod := shapeOf[corev1.Pod]()
	f.Fuzz(func(t *testing.T, document []byte) {
		checkShape[corev1.ConfigMap](t, configMap, document)
		checkShape[corev1.Secret](t, secret, document)
		checkShape[corev1.Event](t, event, document)
		checkShape[coordinationv1.Lease](t, lease, document)
		checkShape[corev1.Pod](t, pod, document)
	})
}
