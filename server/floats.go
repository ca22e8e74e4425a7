package server

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// hasFloat says whether a value of a document has a number that was written with a fraction or
// an exponent, or is out of the range of whole ones.
func hasFloat(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if hasFloat(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasFloat)
	case float64:
		return true
	}
	return false
}

// withFractions copies a value with whole floats as numbers that show a fraction.
func withFractions(v any) any {
	switch v := v.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for name, e := range v {
			copied[name] = withFractions(e)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, e := range v {
			copied[i] = withFractions(e)
		}
		return copied
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e21 {
			return json.Number(strconv.FormatFloat(v, 'f', 1, 64))
		}
	}
	return v
}
