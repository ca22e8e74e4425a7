package object_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestDecodeNumbers(t *testing.T) {
	for text, want := range map[string]any{
		"0":                     int64(0),
		"-0":                    int64(0),
		"7":                     int64(7),
		"-42":                   int64(-42),
		"123456789012345678":    int64(123456789012345678),
		"9007199254740993":      int64(9007199254740993),
		"9223372036854775807":   int64(math.MaxInt64),
		"-9223372036854775808":  int64(math.MinInt64),
		"9223372036854775808":   float64(9223372036854775808),
		"-9223372036854775809":  float64(-9223372036854775809),
		"1.0":                   float64(1),
		"-0.0":                  math.Copysign(0, -1),
		"1e3":                   float64(1000),
		"1E-2":                  0.01,
		"0.1":                   0.1,
		"12345678901234567890":  float64(12345678901234567890),
		"1e-999":                float64(0),
		"100000000000000000000": float64(1e20),
	} {
		got, err := object.DecodeValue([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestDecodeRefusesNumbersThatNoFloatHolds(t *testing.T) {
	_, err := object.Decode([]byte(`{"a":1e999,"b":-1e999}`))
	require.EqualError(t, err, "json: cannot unmarshal number 1e999 into Go value of type float64")
	_, _, err = object.DecodeValueStrict([]byte(`[{"a":1e999}]`))
	require.EqualError(t, err, "json: cannot unmarshal number 1e999 into Go value of type float64")
	_, err = object.Decode([]byte(`{"a":1e999,}`))
	require.EqualError(t, err, "invalid character '}' looking for beginning of object key string", "syntax comes first")
}

func TestDecodeTexts(t *testing.T) {
	for text, want := range map[string]string{
		`""`:                   "",
		`"abc"`:                "abc",
		`"\"\\\/\b\f\n\r\t"`:   "\"\\/\b\f\n\r\t",
		`"é漢😀"`:                "é漢😀",
		`"\u00e9\ud83d\ude00"`: "é😀",
		`"\ud83d!"`:            "\ufffd!",
		`"\ud83d\u0041"`:       "\ufffdA",
		`"\ude00\ud83d"`:       "\ufffd\ufffd",
		`"\ud83d\ud83d\ude00"`: "\ufffd😀",
		"\"a\xffb\"":           "a\ufffdb",
		"\"\xed\xa0\x80\"":     "\ufffd\ufffd\ufffd",
		`"a long text of more than eight letters \" quoted"`: `a long text of more than eight letters " quoted`,
	} {
		got, err := object.DecodeValue([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestDecodeWantsAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:    "json: cannot unmarshal array into Go value of type map[string]interface {}",
		`"a"`:   "json: cannot unmarshal string into Go value of type map[string]interface {}",
		`1`:     "json: cannot unmarshal number into Go value of type map[string]interface {}",
		`true`:  "json: cannot unmarshal bool into Go value of type map[string]interface {}",
		` [1,]`: "invalid character ']' looking for beginning of value",
	} {
		_, err := object.Decode([]byte(text))
		require.EqualError(t, err, want, text)
	}
	o, err := object.Decode([]byte(" null "))
	require.NoError(t, err)
	require.Equal(t, object.Object{}, o)
}

func TestDecodeSyntaxErrorKnowsItsPlace(t *testing.T) {
	_, err := object.Decode([]byte(`{"a" 1}`))
	var syntax *object.SyntaxError
	require.ErrorAs(t, err, &syntax)
	require.Equal(t, 5, syntax.Offset)
	require.EqualError(t, err, "invalid character '1' after object key")
}

func TestDecodeLimitsDepth(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat(`[`, n) + strings.Repeat(`]`, n)) }
	_, err := object.DecodeValue(deep(10000))
	require.NoError(t, err)
	_, err = object.DecodeValue(deep(10001))
	require.EqualError(t, err, "invalid character '[' exceeded max depth")
	_, err = object.Decode([]byte(strings.Repeat(`{"a":`, 20000)))
	require.EqualError(t, err, "invalid character '{' exceeded max depth")
}

// badDocuments are texts that stop in, or go wrong after, every kind of token.
func badDocuments() []string {
	valid := `{"a": [true, false,null ,-1.5e+3, "x\u00e9\n"], "b":{"c": {}}, "d":[]} `
	var texts []string
	for i := range valid {
		texts = append(texts, valid[:i])
		for _, c := range "{}[]:,\"\\ux0-.e\x00\t\xff'" {
			texts = append(texts, valid[:i]+string(c)+valid[i:], valid[:i]+string(c)+valid[i+1:])
		}
	}
	return texts
}

func TestDecodeGivesTheVerdictsOfEncodingJSON(t *testing.T) {
	for _, text := range badDocuments() {
		checkAgainstEncodingJSON(t, []byte(text))
	}
}

// checkAgainstEncodingJSON compares verdict, message and value.
func checkAgainstEncodingJSON(t *testing.T, data []byte) {
	t.Helper()
	var want any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	wantErr := json.Unmarshal(data, &want)
	got, err := object.DecodeValue(data)
	if wantErr != nil {
		require.EqualError(t, err, wantErr.Error(), "%q", data)
		return
	}
	require.NoError(t, err, "%q", data)
	require.Equal(t, want, floats(got), "%q", data)
	require.NoError(t, dec.Decode(&want))
	require.Equal(t, preservedInts(want), got, "%q", data)
}

// floats gives the value with all numbers as encoding/json has them.
func floats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = floats(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = floats(v[k])
		}
		return out
	}
	return v
}

// preservedInts applies the rule for numbers to a value decoded with UseNumber.
func preservedInts(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && !strings.Contains(v.String(), ".") {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = preservedInts(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = preservedInts(v[k])
		}
	}
	return v
}

func FuzzDecode(f *testing.F) {
	for _, text := range badDocuments()[:200] {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"a":1,"a":{"b":1,"b":2},"c":[{"d":1e5,"d":-0}]}`))
	f.Add([]byte(`"\ud83d\ude00\ud83d\u12"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkAgainstEncodingJSON(t, data)
		o, _, err := object.DecodeStrict(data)
		if err != nil {
			return
		}
		encoded := object.AppendJSON(nil, o)
		again, duplicates, err := object.DecodeStrict(encoded)
		require.NoError(t, err)
		require.Empty(t, duplicates)
		// A whole number written with a fraction or an exponent comes back without.
		require.Equal(t, floats(map[string]any(o)), floats(map[string]any(again)))
		require.Equal(t, encoded, object.AppendJSON(nil, again))
	})
}

func TestDecodeStrictNamesDuplicates(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"none", `{"a":{"b":1},"b":[1,1]}`, nil},
		{"at the top", `{"a":1,"a":2}`, []string{"a"}},
		{"three times is one report", `{"a":1,"a":2,"a":3}`, []string{"a"}},
		{"inside maps and lists", `{"metadata":{"name":"a","name":"b"},"l":[[{"x":1,"x":2}]]}`, []string{"metadata.name", "l[0][0].x"}},
		{"the outer before the inner", `{"a":1,"a":{"b":1,"b":2}}`, []string{"a", "a.b"}},
		{"the inner of the first before the outer", `{"a":{"b":1,"b":2},"a":{"b":1,"b":2}}`, []string{"a.b", "a"}},
		{"names as they are after unescaping", `{"a.b":1,"a\u002eb":2}`, []string{"a.b"}},
		{"other case is another name", `{"a":1,"A":2}`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, duplicates, err := object.DecodeStrict([]byte(tc.text))
			require.NoError(t, err)
			require.Equal(t, tc.want, duplicates)
		})
	}
}

func TestDecodeStrictKeepsTheLastValue(t *testing.T) {
	o, _, err := object.DecodeStrict([]byte(`{"a":{"x":1},"a":{"y":2}}`))
	require.NoError(t, err)
	require.Equal(t, object.Object{"a": map[string]any{"y": int64(2)}}, o)
}

func TestDecodeStrictLimitsItsReport(t *testing.T) {
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, `"k%d":1,"k%d":2,`, i, i)
	}
	_, duplicates, err := object.DecodeStrict([]byte("{" + many.String() + `"z":1}`))
	require.NoError(t, err)
	require.Len(t, duplicates, 100)

	long := strings.Repeat("x", 1<<20)
	_, duplicates, err = object.DecodeStrict([]byte(`{"` + long + `":{` + many.String() + `"z":1}}`))
	require.NoError(t, err)
	require.Len(t, duplicates, 1)
}

func TestDecodeKeepsNothingOfItsInput(t *testing.T) {
	data := []byte(`{"kind":"A","text":"some text","list":["x"]}`)
	o, err := object.Decode(data)
	require.NoError(t, err)
	clear(data)
	require.Equal(t, object.Object{"kind": "A", "text": "some text", "list": []any{"x"}}, o)
}

func TestDecodeManyRandomDocuments(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		want := randomValue(rnd, 4)
		got, err := object.DecodeValue(object.AppendJSON(nil, want))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// randomValue makes a value of JSON that is the same after encoding and decoding.
func randomValue(rnd *rand.Rand, depth int) any {
	switch n := rnd.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return rnd.IntN(2) == 0
	case n == 2:
		return rnd.Int64() - rnd.Int64()
	case n == 3:
		return rnd.NormFloat64()
	case n == 4 || depth == 0:
		return randomText(rnd)
	case n == 5:
		list := make([]any, rnd.IntN(12))
		for i := range list {
			list[i] = randomValue(rnd, depth-1)
		}
		return list
	default:
		m := map[string]any{}
		for range rnd.IntN(20) {
			m[randomText(rnd)] = randomValue(rnd, depth-1)
		}
		return m
	}
}

func randomText(rnd *rand.Rand) string {
	alphabet := []rune("abcdefghij \"\\\n\x00\x1f\u007fé漢😀<&>\u2028")
	text := make([]rune, rnd.IntN(24))
	for i := range text {
		text[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	return string(text)
}
