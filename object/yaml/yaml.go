// Package yaml reads and writes documents as YAML 1.1, the way the API does.
//
// YAML goes through JSON: what a YAML text means is what [ToJSON] makes of it, so
// numbers follow the rule of [object.Decode], and keys that are numbers or
// booleans become texts. Only the first document of several counts; a text
// without any is null.
//
// Aliases that would make a document much larger than its text are refused, and
// so is nesting of more than 10000 levels.
package yaml

import (
	"errors"
	"fmt"
	"strings"

	goyaml "go.yaml.in/yaml/v2"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Duplicates are the keys that a text sets twice in one map, in the order found:
// `line 4: key "k" already set in map`. An empty one is no error.
type Duplicates []string

// Error gives all of them in the API's words.
func (d Duplicates) Error() string { return "yaml: unmarshal errors:\n  " + strings.Join(d, "\n  ") }

// ToJSON gives the JSON of a YAML text. Of a key that is set twice the last value
// holds. Errors are worded as the API words them, such as "yaml: line 2: found a
// tab character that violates indentation".
func ToJSON(data []byte) ([]byte, error) {
	var v any
	if err := goyaml.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	c := converter{room: sizeLimit(data)}
	v, err := c.value(v)
	if err != nil {
		return nil, err
	}
	return object.AppendJSON(nil, v), nil
}

// ToJSONStrict is [ToJSON] that also reports keys that are set twice.
func ToJSONStrict(data []byte) ([]byte, Duplicates, error) {
	out, err := ToJSON(data)
	if err != nil {
		return nil, nil, err
	}
	var v any
	var findings *goyaml.TypeError
	switch err := goyaml.UnmarshalStrict(data, &v); {
	case err == nil:
		return out, nil, nil
	case errors.As(err, &findings):
		return out, findings.Errors, nil
	default:
		return nil, nil, err
	}
}

// Decode parses a document, which must be a map; an empty text counts as an empty one.
func Decode(data []byte) (object.Object, error) {
	out, err := ToJSON(data)
	if err != nil {
		return nil, err
	}
	return object.Decode(out)
}

// FromJSON gives the YAML of a JSON text, with sorted keys.
func FromJSON(data []byte) ([]byte, error) {
	v, err := object.DecodeValue(data)
	if err != nil {
		return nil, fmt.Errorf("making YAML of JSON: %w", err)
	}
	return encode(v)
}

// Encode gives the YAML of a document, with sorted keys.
func Encode(o object.Object) ([]byte, error) { return encode(map[string]any(o)) }

func encode(v any) ([]byte, error) {
	out, err := goyaml.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return out, nil
}
