package admission

import (
	"fmt"
	"hash/maphash"
	"math"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Seeds keep kinds of values apart. They are drawn anew for each process, so that
// nobody can make two objects that look the same.
var (
	mapSeed  = maphash.MakeSeed()
	listSeed = maphash.MakeSeed()
	textSeed = maphash.MakeSeed()
	restSeed = maphash.MakeSeed()
)

// pair is two hashes in an order.
type pair struct{ first, second uint64 }

// fingerprint tells, in practice, whether an object changed: without the copy that a
// comparison needs, and without allocating.
func fingerprint(o object.Object) uint64 { return fingerprintOf(map[string]any(o)) }

func fingerprintOf(v any) uint64 {
	switch v := v.(type) {
	case map[string]any:
		sum := uint64(len(v)) // a sum, since maps have no order
		for key, value := range v {
			sum += maphash.Comparable(mapSeed, pair{maphash.String(textSeed, key), fingerprintOf(value)})
		}
		if v == nil {
			sum--
		}
		return sum
	case []any:
		sum := maphash.Comparable(listSeed, pair{first: uint64(len(v))})
		for _, item := range v {
			sum = maphash.Comparable(listSeed, pair{sum, fingerprintOf(item)})
		}
		return sum
	case string:
		return maphash.String(textSeed, v)
	case int64:
		return maphash.Comparable(restSeed, pair{1, uint64(v)})
	case float64:
		return maphash.Comparable(restSeed, pair{2, math.Float64bits(v + 0)}) // there are two zeros
	case bool:
		if v {
			return 3
		}
		return 4
	case nil:
		return 5
	}
	return maphash.String(restSeed, fmt.Sprintf("%T %v", v, v)) // no value of JSON
}
