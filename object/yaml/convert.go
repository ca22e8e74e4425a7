package yaml

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// errTooLarge refuses a text whose aliases would make it a document out of proportion.
var errTooLarge = errors.New("yaml: document contains excessive aliasing")

// sizeLimit is how large the document of a text may become, in bytes: far more
// than one without aliases can.
func sizeLimit(data []byte) int { return 16<<20 + 8*len(data) }

// converter makes the value of a document from what the YAML reader made.
type converter struct {
	room int // how many bytes of JSON may still come
}

// value converts a value and everything in it, in place where it can.
func (c *converter) value(v any) (any, error) {
	if c.room -= 4; c.room < 0 {
		return nil, errTooLarge
	}
	switch v := v.(type) {
	case string:
		c.room -= len(v)
		return v, nil
	case []any:
		return c.list(v)
	case map[any]any:
		return c.object(v)
	case int:
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("json: unsupported value: %s", strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return v, nil
}

func (c *converter) list(list []any) (any, error) {
	for i, v := range list {
		v, err := c.value(v)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func (c *converter) object(in map[any]any) (any, error) {
	out := make(map[string]any, len(in))
	for k, v := range in {
		name, err := keyText(k, v)
		if err != nil {
			return nil, err
		}
		c.room -= len(name) + 4
		if out[name], err = c.value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keyText makes a text of a key, as the API does.
func keyText(key, value any) (string, error) {
	switch k := key.(type) {
	case string:
		return k, nil
	case int:
		return strconv.Itoa(k), nil
	case int64:
		return strconv.FormatInt(k, 10), nil
	case bool:
		return strconv.FormatBool(k), nil
	case float64:
		return floatText(k), nil
	}
	return "", fmt.Errorf("unsupported map key of type: %s, key: %+#v, value: %+#v", reflect.TypeOf(key), key, value)
}

// floatText writes a number as the YAML writer does, but with the precision and
// the range of a float32.
func floatText(f float64) string {
	switch text := strconv.FormatFloat(f, 'g', -1, 32); text {
	case "+Inf":
		return ".inf"
	case "-Inf":
		return "-.inf"
	case "NaN":
		return ".nan"
	default:
		return text
	}
}
