package server

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// lampCodec is that of a Go type which knows the brightness of a lamp and nothing else.
type lampCodec struct{ Codec }

func (lampCodec) DecodeJSON(data []byte) (o object.Object, strict []string, err error) {
	var lamp struct {
		APIVersion string         `json:"apiVersion,omitempty"`
		Kind       string         `json:"kind,omitempty"`
		Metadata   map[string]any `json:"metadata,omitempty"`
		Spec       struct {
			Brightness *int64 `json:"brightness,omitempty"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(data, &lamp); err != nil {
		return nil, nil, err
	}
	if bytes.Contains(data, []byte("colour")) {
		strict = append(strict, `unknown field "spec.colour"`)
	}
	if data, err = json.Marshal(lamp); err != nil {
		return nil, nil, err
	}
	o, err = object.Decode(data)
	return o, strict, err
}

// lamps have a brightness, 7 unless it is given, and a status.
func lamps() Resource {
	dim := func(o object.Object) {
		if spec := o["spec"].(map[string]any); spec["brightness"] == nil {
			spec["brightness"] = int64(7)
		}
	}
	return Resource{
		Group: "example.com", Plural: "lamps", Kind: "Lamp", Namespaced: true,
		Versions: []Version{{Name: "v1", Codec: lampCodec{}, Default: dim}},
	}
}

// TestVerbsReadDocumentsAsTheirTypeDoes: what a program gives is read like a body.
func TestVerbsReadDocumentsAsTheirTypeDoes(t *testing.T) {
	s := newWorld(t, lamps())
	lamp := func(name string, spec any) object.Object {
		return object.Object{"metadata": map[string]any{"name": name}, "spec": spec}
	}
	collection := within("default", "lamps", "")

	given := lamp("a", map[string]any{"colour": "red"})
	created, err := s.Create(t.Context(), collection, given, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, lamp("a", map[string]any{"colour": "red"}), given, "what is passed in is not changed")
	require.Equal(t, map[string]any{"brightness": int64(7)}, created["spec"])
	updated, err := s.Update(t.Context(), within("default", "lamps", "a"), given, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, created, updated)

	_, err = s.Create(t.Context(), collection, lamp("b", "nonsense"), WriteOptions{})
	require.ErrorIs(t, err, object.ErrBadRequest)
	require.ErrorContains(t, err, `Lamp in version "v1" cannot be handled as a Lamp: json: cannot unmarshal string`)
	_, err = s.Update(t.Context(), within("default", "lamps", "a"), lamp("a", "nonsense"), WriteOptions{})
	require.ErrorIs(t, err, object.ErrBadRequest)
	_, err = s.Create(t.Context(), collection, given, WriteOptions{FieldValidation: "Strict"})
	require.ErrorContains(t, err, `strict decoding error: unknown field "spec.colour"`)
	other := lamp("b", map[string]any{})
	other.SetType(object.TypeMeta{Kind: "Bulb", APIVersion: "example.com/v1"})
	_, err = s.Create(t.Context(), collection, other, WriteOptions{})
	require.ErrorContains(t, err, `no kind "Bulb" is registered`)

	_, err = s.Patch(t.Context(), within("default", "lamps", "a"), apply.MergePatch, []byte(`{"spec":"nonsense"}`), WriteOptions{})
	require.ErrorIs(t, err, object.ErrInvalid, "as a patch does")
}
