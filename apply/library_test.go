package apply_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// TestPatchesAgreeWithTheLibrary compares with a well-known implementation of both
// RFCs, on patches in which the API does not depart from them.
func TestPatchesAgreeWithTheLibrary(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	for i := range 20_000 {
		doc := randomMap(r, 3)
		data := object.AppendJSON(nil, doc)

		operations := object.AppendJSON(nil, randomOperations(r, doc))
		want, wantErr := applyLibrary(data, operations)
		got, err := apply.Patch(object.Object(doc), apply.JSONPatch, operations)
		requireSame(t, want, wantErr, got, err, "JSON Patch %d: %s on %s", i, operations, data)

		merge := object.AppendJSON(nil, randomMap(r, 3))
		want, wantErr = jsonpatch.MergePatch(data, merge)
		got, err = apply.Patch(object.Object(doc), apply.MergePatch, merge)
		requireSame(t, want, wantErr, got, err, "merge patch %d: %s on %s", i, merge, data)
	}
}

func applyLibrary(doc, patch []byte) ([]byte, error) {
	p, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return p.Apply(doc)
}

func requireSame(t *testing.T, want []byte, wantErr error, got object.Object, err error, format string, args ...any) {
	t.Helper()
	context := fmt.Sprintf(format, args...)
	if wantErr != nil {
		require.Error(t, err, context)
		return
	}
	require.NoError(t, err, context)
	encoded, err := json.Marshal(got)
	require.NoError(t, err, context)
	require.JSONEq(t, string(want), string(encoded), context)
}

// randomOperations are some that the RFC allows on the document: parents exist, and
// what is replaced, removed or read is there.
func randomOperations(r *rand.Rand, doc map[string]any) []any {
	list := []any{}
	for range 1 + r.IntN(3) {
		name := names[r.IntN(len(names))]
		if _, ok := doc[name]; !ok {
			list = append(list, map[string]any{"op": "add", "path": "/" + name, "value": randomValue(r, 1)})
			return list // what follows would have to know of it
		}
		switch path := "/" + name; r.IntN(4) {
		case 0:
			list = append(list, map[string]any{"op": "replace", "path": path, "value": randomValue(r, 2)})
		case 1:
			list = append(list, map[string]any{"op": "remove", "path": path})
			return list
		case 2:
			list = append(list, map[string]any{"op": "copy", "from": path, "path": "/copy"})
		default:
			list = append(list, map[string]any{"op": "move", "from": path, "path": "/moved"})
			return list
		}
	}
	return list
}

var names = []string{"a", "b", "c", "d"}

func randomMap(r *rand.Rand, depth int) map[string]any {
	m := map[string]any{}
	for _, name := range names {
		if r.IntN(2) == 0 {
			m[name] = randomValue(r, depth-1)
		}
	}
	return m
}

func randomValue(r *rand.Rand, depth int) any {
	kinds := 6
	if depth <= 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return int64(r.IntN(10))
	case 2:
		return "text"
	case 3:
		return r.IntN(2) == 0
	case 4:
		return []any{randomValue(r, depth-1), randomValue(r, depth-1)}
	}
	return randomMap(r, depth)
}
