package quantities

import (
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// text makes a text that is likely to be a quantity.
func text(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	digits := func(n int) string {
		var b strings.Builder
		for range r.Intn(n + 1) {
			b.WriteString(pick("0", "0", "1", "2", "5", "8", "9"))
		}
		return b.String()
	}
	s := pick("", "", "", "-", "+") + digits(length(r)) + pick("", "", ".", ".") + digits(length(r)/2)
	return s + pick("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-3", "e1", "e-7", "e12", "x", "ik")
}

func length(r *rand.Rand) int { return []int{1, 3, 6, 12, 22}[r.Intn(5)] }

// TestQuantitiesAreThoseOfTheAPI compares all that the API does with quantities.
func TestQuantitiesAreThoseOfTheAPI(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 50_000 {
		s, other := text(r), text(r)
		want, err := resource.ParseQuantity(s)
		got, gotErr := quantity.Parse(s)
		if err != nil {
			require.EqualError(t, gotErr, err.Error(), "%q", s)
			continue
		}
		require.NoError(t, gotErr, "%q", s)
		same(t, want, got, s)
		wantOther, err := resource.ParseQuantity(other)
		if err != nil {
			continue
		}
		gotOther, err := quantity.Parse(other)
		require.NoError(t, err)
		require.Equal(t, want.Cmp(wantOther), got.Compare(gotOther), "%q %q", s, other)

		sum, difference, rounded := want.DeepCopy(), want.DeepCopy(), want.DeepCopy()
		sum.Add(wantOther)
		difference.Sub(wantOther)
		same(t, sum, got.Add(gotOther), s, "+", other)
		same(t, difference, got.Sub(gotOther), s, "-", other)
		scale := resource.Scale(r.Intn(12) - 9)
		rounded.RoundUp(scale)
		require.Zero(t, rounded.Cmp(parseKube(t, got.RoundedUp(int32(scale)))), "%q to %d", s, scale)
	}
}

// same compares the value and, where the API can write it, how it is written.
func same(t *testing.T, want resource.Quantity, got quantity.Quantity, from ...any) {
	t.Helper()
	written := got.String()
	if isWrittenRight(want) {
		require.Equal(t, want.String(), written, "%v", from)
	}
	again := parseKube(t, got)
	require.Zero(t, want.Cmp(again), "%v: want %s, got %s", from, want.String(), written)
}

// isWrittenRight says whether a quantity is not too large for the suffixes of its form: the API
// leaves the suffix out then.
func isWrittenRight(q resource.Quantity) bool {
	s := q.String()
	again, err := resource.ParseQuantity(s)
	return err == nil && again.Cmp(q) == 0
}

// parseKube reads what a quantity is written as, whatever its size.
func parseKube(t *testing.T, q quantity.Quantity) resource.Quantity {
	t.Helper()
	written := q.String()
	if digits, ok := strings.CutSuffix(written, "i"); ok { // powers of two are capped when parsed
		power := uint(strings.IndexByte("KMGTPE", digits[len(digits)-1])+1) * 10
		if n, ok := new(big.Int).SetString(digits[:len(digits)-1], 10); ok {
			written = n.Lsh(n, power).String()
		}
	}
	out, err := resource.ParseQuantity(written)
	require.NoError(t, err, written)
	return out
}
