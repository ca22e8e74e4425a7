package quantity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

func parse(t testing.TB, s string) quantity.Quantity {
	t.Helper()
	q, err := quantity.Parse(s)
	require.NoError(t, err, s)
	return q
}

func TestQuantitiesAreWrittenInCanonicalForm(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "0Ki": "0", "-0": "0", "000": "0", "1": "1", "1000": "1k", "0.5": "500m", "1.5Gi": "1536Mi",
		"1024": "1024", "1024Ki": "1Mi", "1024Mi": "1Gi", "1Ki": "1Ki", "1e3": "1e3", "1000e3": "1e6", "100m": "100m",
		"0.1m": "100u", "1.1i": "", "12.34k": "12340", "0.5Ki": "512", "0.0001Ki": "102400u", "-2048Ki": "-2Mi",
		"1500000000000000000000": "1500E", "9Ei": "9223372036854775807", "0.0000000001": "1n", "1.500": "1.500", "1E3": "1E3",
	} {
		q, err := quantity.Parse(in)
		if want == "" {
			require.Error(t, err, in)
			continue
		}
		require.NoError(t, err, in)
		require.Equal(t, want, q.String(), in)
	}
}

func TestBadTextsSayWhatIsWrong(t *testing.T) {
	for in, want := range map[string]error{
		"": quantity.ErrForm, "a": quantity.ErrForm, "1 Gi": quantity.ErrForm, "1Gix": quantity.ErrForm, "--1": quantity.ErrSuffix,
		"1Ui": quantity.ErrForm, "1kk": quantity.ErrSuffix, "1ei": quantity.ErrSuffix, "1iK": quantity.ErrSuffix,
	} {
		_, err := quantity.Parse(in)
		require.Equal(t, want, err, "%q", in)
	}
}

func TestSumsAreWrittenAsTheFirstSummandUnlessItIsZero(t *testing.T) {
	for _, c := range []struct{ a, b, sum, difference string }{
		{"1Gi", "1Mi", "1025Mi", "1023Mi"},
		{"1Gi", "1k", "1073742824", "1073740824"},
		{"0", "128Mi", "128Mi", "-128Mi"},
		{"500m", "500m", "1", "0"},
		{"1", "1m", "1001m", "999m"},
		{"1k", "1Ki", "2024", "-24"},
		{"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		sum, difference := a.Add(b), a.Sub(b)
		require.Equal(t, c.sum, sum.String(), "%s+%s", c.a, c.b)
		require.Equal(t, c.difference, difference.String(), "%s-%s", c.a, c.b)
		require.Zero(t, a.Add(b).Compare(b.Add(a)))
		require.Equal(t, a.Compare(b), difference.Sign())
	}
}

func TestASumLeavesOutWhatIsNothingBesideTheOther(t *testing.T) {
	one, huge := quantity.Of(1), parse(t, "1e1000000")
	_, ok := one.Plus(huge)
	require.False(t, ok)
	require.Zero(t, one.Add(huge).Compare(huge))
	require.Zero(t, huge.Add(one).Compare(huge))
	require.Zero(t, one.Sub(huge).Compare(huge.Negated()))
}

func TestRoundedUpGoesAwayFromZero(t *testing.T) {
	for _, c := range []struct {
		in       string
		exponent int32
		want     string
	}{
		{"1.1", 0, "2"}, {"-1.1", 0, "-2"}, {"1", 0, "1"}, {"1500u", -3, "2m"}, {"1n", -3, "1m"}, {"0.5Ki", 0, "512"},
		{"1.0001Ki", 0, "1025"}, {"0", 3, "0"}, {"12345678901234567890.5", 0, "12345678901234567891"},
	} {
		require.Equal(t, c.want, parse(t, c.in).RoundedUp(c.exponent).String(), c.in)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "0", "1Gi", "1.5", "-3e5", "1e999999999", "0.0000000001", "9999999999999999999Ei", ".", "1.", "+.5m"} {
		f.Add(s, "1")
	}
	f.Fuzz(func(t *testing.T, s, other string) {
		q, err := quantity.Parse(s)
		if err != nil {
			return
		}
		if float := q.Float64(); len(s) < 100 && float < 1e30 && float > -1e30 {
			again, err := quantity.Parse(q.String())
			require.NoError(t, err)
			if float < 9e18 && float > -9e18 { // beyond that powers of two are capped
				require.Zero(t, q.Compare(again), "%s is written as %s", s, q)
			}
		}
		r, err := quantity.Parse(other)
		if err != nil {
			return
		}
		require.Equal(t, q.Compare(r), -r.Compare(q))
		require.Zero(t, q.Add(r).Compare(r.Add(q)))
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := quantity.Parse("128Mi"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAddAndWrite(b *testing.B) {
	x, y := parse(b, "1Gi"), parse(b, "128Mi")
	for b.Loop() {
		_ = x.Add(y).String()
	}
}
