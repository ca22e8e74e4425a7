package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// As gives the document as a Go value of the type T, a struct that embeds
// [TypeMeta] inline and [ObjectMeta] under the JSON name metadata. Fields that T
// does not have are lost. Whole numbers keep their value even where a float64
// could not hold it. The result shares nothing with the document.
func As[T any](o Object) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(AppendJSON(nil, o), v); err != nil {
		return nil, fmt.Errorf("reading %s as %T: %w", o, v, err)
	}
	return v, nil
}

// AsStrict is [As] that fails on a field that T does not have.
func AsStrict[T any](o Object) (*T, error) {
	d := json.NewDecoder(bytes.NewReader(AppendJSON(nil, o)))
	d.DisallowUnknownFields()
	v := new(T)
	if err := d.Decode(v); err != nil {
		return nil, fmt.Errorf("reading %s as %T: %w", o, v, err)
	}
	return v, nil
}

// From gives the document of a Go value, which must be one that JSON writes as an
// object; see [As]. The result shares nothing with the value.
func From(v any) (Object, error) {
	if v := reflect.ValueOf(v); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("making a document of %v: there is nothing", v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("making a document of %T: %w", v, err)
	}
	o, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("making a document of %T: %w", v, err)
	}
	return o, nil
}
