package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// patchType reads the Content-Type of a patch, which is compared to the letter.
func (s *served) patchType(r *http.Request) (apply.PatchType, error) {
	name, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if slices.Contains(s.patchTypes(), name) {
		return apply.PatchType(name), nil
	}
	if s.version.Documents != nil {
		return "", object.UnsupportedMediaType(s.patchTypes()...)
	}
	return "", errNoRouteForBody()
}

// patchTypes are those that clients may send. How a strategic merge patch merges is
// known of Go types alone.
func (s *served) patchTypes() []string {
	types := []string{string(apply.JSONPatch), string(apply.MergePatch), string(apply.ApplyPatch)}
	if _, ok := s.version.Codec.(SchemaCodec); ok {
		types = append(types, string(apply.StrategicMergePatch))
	}
	return types
}

// patcher is a patch that has been read.
type patcher interface {
	// Strict says what a strict reader refuses in the patch itself.
	Strict() []string
	Apply(doc object.Object) (object.Object, error)
}

// readPatch reads a patch that is no configuration.
func (c *call) readPatch(kind apply.PatchType, patch []byte) (patcher, error) {
	if kind != apply.StrategicMergePatch {
		return apply.Parse(kind, patch)
	}
	codec, ok := c.face.version.Codec.(SchemaCodec)
	if !ok {
		return nil, errNoRouteForBody()
	}
	return apply.ParseStrategic(patch, codec.Schema())
}

// patch gives the change that a patch makes. Its outcome is decoded like a body: a
// patch may write nonsense.
func (c *call) patch(kind apply.PatchType, patch []byte) (change, error) {
	if kind == apply.ApplyPatch {
		return c.applied(patch)
	}
	p, err := c.readPatch(kind, patch)
	if err != nil {
		return change{}, err
	}
	var inPatch []string
	if c.opts.FieldValidation != fieldsIgnore {
		inPatch = p.Strict()
	}
	return change{settled: c.view() != nil, patches: true, apply: func(ctx context.Context, live object.Object) (object.Object, error) {
		if live == nil { // only a PUT creates
			return nil, object.NotFound(c.groupResource(), c.name)
		}
		shown, err := c.begin(live)
		if err != nil {
			return nil, err
		}
		next, err := p.Apply(shown)
		if err != nil {
			return nil, plain(err)
		}
		data := encodePatched(p, next)
		if next, err = c.decodePatched(p, data, inPatch); err != nil {
			return nil, c.errPatched(p, data, err)
		}
		if c.face.version.Documents != nil {
			if err := c.errDefinedType(object.TypeMeta{Kind: next.Kind(), APIVersion: next.APIVersion()}, next.Name()); err != nil {
				return nil, err
			}
		}
		next.SetType(c.face.typeMeta)
		return c.changeBy(ctx, next, live)
	}}, nil
}

// encodePatched writes the outcome of a patch for a decoder. 3.0 is no whole number to one, but in a
// strategic merge patch, which the API reads as values.
func encodePatched(p patcher, next object.Object) []byte {
	if _, ok := p.(*apply.Strategic); ok || !hasFloat(map[string]any(next)) {
		return object.AppendJSON(nil, next)
	}
	return object.AppendJSON(nil, withFractions(map[string]any(next)))
}

// decodePatched checks the outcome of a patch. What a strict reader found in the patch
// itself is wrong with the outcome, too.
func (c *call) decodePatched(p patcher, data []byte, inPatch []string) (object.Object, error) {
	o, strict, err := c.decodeJSON(data)
	if _, ok := p.(*apply.Strategic); !ok {
		err = c.checkPatchedKind(o, data, err)
	}
	if err == nil {
		err = c.report(findings{fields: slices.Concat(inPatch, strict)})
	}
	return o, err
}

// checkPatchedKind refuses a patch that makes a document one of another kind, which a
// strategic one cannot: the type in Go is given. Documents that are free of types are
// refused later, unless they have none. o is what decoding gave, unless it failed with err.
func (c *call) checkPatchedKind(o object.Object, data []byte, err error) error {
	t := object.TypeMeta{Kind: o.Kind(), APIVersion: o.APIVersion()}
	if err != nil || !hasTextType(o) {
		var errType error
		if t, errType = peekType(mediaJSON, data); errType != nil {
			return errType
		}
	}
	gv, errVersion := object.ParseGroupVersion(cmp.Or(t.APIVersion, c.face.typeMeta.APIVersion))
	if errVersion != nil {
		return errVersion
	}
	gvk := object.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: cmp.Or(t.Kind, c.face.gvk.Kind)}
	switch {
	case c.face.version.Documents != nil && t.Kind == "":
		return errNoKind([]byte(escapeHTML(string(data))))
	case c.face.version.Documents == nil && gvk != c.face.gvk:
		return c.errOtherKind(gvk)
	}
	return err
}

// escapeHTML writes JSON as most encoders do; what is stored and sent here is not so timid.
func escapeHTML(text string) string {
	var b bytes.Buffer
	json.HTMLEscape(&b, []byte(text))
	return b.String()
}

// errPatched says what is wrong with the outcome of a patch: an error of the field
// "patch", which shows the outcome or, of a strategic merge patch, the patch.
func (c *call) errPatched(p patcher, data []byte, err error) error {
	shown := string(data)
	if c.face.version.Codec != nil {
		shown = inTypeOrder(data)
	}
	shown = escapeHTML(shown)
	if text, ok := p.(fmt.Stringer); ok {
		shown, err = text.String(), fromMerged(err)
	}
	return object.Invalid(object.GroupKind{}, "", object.FieldErrors{object.InvalidField("patch", shown, err.Error())})
}
