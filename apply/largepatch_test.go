package apply_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
)

// promptly fails if something takes much longer than it does, even on a busy machine.
func promptly(t *testing.T, what func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		what()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it takes too long")
	}
}

// numbered repeats a text, in which %d is a number, up to a size in bytes.
func numbered(size int, text string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, text, i)
	}
	return b.String()
}

func TestLargeStrategicMergePatch(t *testing.T) {
	const mb = 1 << 20
	names, ports := numbered(mb, `"%d"`), numbered(mb, `{"port":%d}`)
	moved := strings.Split(names, ",")
	for i := range moved { // each second one from the other end
		if j := len(moved) - 1 - i; i%2 == 0 && i < j {
			moved[i], moved[j] = moved[j], moved[i]
		}
	}
	mixed := strings.Join(moved, ",")
	nested := fmt.Sprintf(`{"ports":[{"port":0,"more":[%s]}]}`, ports)
	tests := []struct{ name, doc, patch, fails string }{
		{name: "retain keys", doc: fmt.Sprintf(`{"labels":{%s}}`, numbered(mb, `"%d":""`)),
			patch: fmt.Sprintf(`{"labels":{"$retainKeys":[%s],%s}}`, names, numbered(mb, `"%d":"1"`))},
		{name: "retain keys at the top", doc: fmt.Sprintf(`{%s}`, numbered(mb, `"%d":""`)), patch: fmt.Sprintf(`{"$retainKeys":[%s],%s}`, names, numbered(mb, `"%d":"1"`))},
		{name: "a list of texts", doc: fmt.Sprintf(`{"names":[%s]}`, names), patch: fmt.Sprintf(`{"names":[%s]}`, mixed)},
		{name: "delete from a list of texts", doc: fmt.Sprintf(`{"names":[%s]}`, names), patch: fmt.Sprintf(`{"$deleteFromPrimitiveList/names":[%s]}`, mixed)},
		{name: "order", doc: fmt.Sprintf(`{"names":[%s]}`, names), patch: fmt.Sprintf(`{"$setElementOrder/names":[%s],"names":[%[1]s]}`, mixed)},
		{name: "order that repeats", doc: fmt.Sprintf(`{"names":[%s]}`, names), patch: fmt.Sprintf(`{"$setElementOrder/names":[%s],"names":[]}`, mixed+","+mixed)},
		{name: "a list of objects", doc: fmt.Sprintf(`{"ports":[%s]}`, ports), patch: fmt.Sprintf(`{"ports":[%s]}`, ports)},
		{name: "delete objects", doc: fmt.Sprintf(`{"ports":[%s]}`, ports), patch: fmt.Sprintf(`{"ports":[%s]}`, numbered(mb, `{"port":%d,"$patch":"delete"}`))},
		{name: "lists in one item", doc: nested, patch: fmt.Sprintf(`{"ports":[%s]}`, numbered(mb, `{"port":0,"more":[{"port":%d}]}`)), fails: "the server rejected our request due to an error in our request"},
		{name: "orders of lists in one item", doc: nested, patch: fmt.Sprintf(`{"ports":[%s]}`, numbered(mb, `{"port":0,"$setElementOrder/more":[{"port":%d}]}`)), fails: "the server rejected our request due to an error in our request"},
	}
	s := strategicSchema(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			promptly(t, func() {
				start := time.Now()
				patch, err := apply.ParseStrategic([]byte(tt.patch), s)
				if err == nil {
					doc := decode(t, tt.doc)
					start = time.Now()
					_, err = patch.Apply(doc)
				}
				t.Log(time.Since(start))
				if tt.fails == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, tt.fails)
				}
			})
		})
	}
}

func TestManyOperationsOnADeepDocument(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	million := "[" + strings.Repeat("0,", 1_000_000) + "0]"
	build := fmt.Sprintf(`{"op":"add","path":"/deep","value":%s},{"op":"add","path":"/long","value":%s},{"op":"add","path":"/low","value":%s},{"op":"add","path":"/x","value":%s}`,
		nested(9_998), million, nested(100), `{"scalar":1,"flat":[],"list":[[]],"c":{"d":{}}}`)
	rejected := "the server rejected our request due to an error in our request"
	low := "/low" + strings.Repeat("/0", 99)
	tests := []struct{ name, operations, fails string }{
		{name: "copies of scalars", operations: strings.Repeat(`,{"op":"copy","from":"/x/scalar","path":"/x/c/d/copy"}`, 9_000)},
		{name: "copies of lists", operations: strings.Repeat(`,{"op":"copy","from":"/x/list","path":"/x/c/d/copy"}`, 9_000)},
		{name: "moves of scalars", operations: strings.Repeat(fmt.Sprintf(`,{"op":"move","from":"/x/scalar","path":"%s/-"},{"op":"move","from":"%[1]s/0","path":"/x/scalar"}`, low), 4_000)},
		{name: "moves of lists", operations: strings.Repeat(fmt.Sprintf(`,{"op":"move","from":"/x/list","path":"%s/-"},{"op":"move","from":"%[1]s/0","path":"/x/list"}`, low), 4_000), fails: rejected},
		{name: "too deep by a copy", operations: `,{"op":"copy","from":"/low","path":"/deep` + strings.Repeat("/0", 9_997) + `/-"}`, fails: rejected},
		{name: "too deep by a move", operations: `,{"op":"move","from":"/low","path":"/deep` + strings.Repeat("/0", 9_997) + `/-"}`, fails: rejected},
		{name: "not too deep by a move", operations: `,{"op":"move","from":"/x/flat","path":"/deep` + strings.Repeat("/0", 9_997) + `/-"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			promptly(t, func() {
				_, err := apply.Patch(decode(t, `{}`), apply.JSONPatch, []byte("["+build+tt.operations+"]"))
				if tt.fails == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, tt.fails)
				}
			})
		})
	}
}

func TestLargeManagedFields(t *testing.T) {
	m := boxes(t, "v1")
	entry := fmt.Sprintf(`{"manager":"w","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:finalizers":{%s}}}}`,
		numbered(3<<20, `"v:-1%07d":{}`)) // the texts go up where the numbers go down
	o := decode(t, `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a","managedFields":[`+entry+`]},"spec":{"size":1}}`)
	promptly(t, func() { require.NoError(t, m.Track(nil, o, apply.Writer{Manager: "one"})) })
	require.Contains(t, ownersOf(o), "one Update .spec")
}
