package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// patchType reads the Content-Type of a patch, which is compared to the letter.
func (s *served) patchType(r *http.Request) (apply.PatchType, error) {
	name, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch kind := apply.PatchType(name); kind {
	case apply.JSONPatch, apply.MergePatch:
		return kind, nil
	}
	if s.version.Documents != nil {
		return "", object.UnsupportedMediaType(patchTypes...)
	}
	return "", errNoRouteForBody()
}

// patchTypes are those that clients may send for custom resources.
var patchTypes = []string{"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"}

// patch gives the change that a patch makes. Its outcome is decoded like a body: a
// patch may write nonsense.
func (c *call) patch(kind apply.PatchType, patch []byte) (change, error) {
	p, err := apply.Parse(kind, patch)
	if err != nil {
		return change{}, err
	}
	var inPatch []string
	if c.opts.FieldValidation != fieldsIgnore {
		inPatch = p.Strict()
	}
	return change{apply: func(live object.Object) (object.Object, error) {
		if live == nil { // only a PUT creates
			return nil, object.NotFound(c.groupResource(), c.name)
		}
		shown, err := c.patched(live)
		if err != nil {
			return nil, err
		}
		next, err := p.Apply(shown)
		if err != nil {
			return nil, err
		}
		if next, err = c.decodePatched(next, inPatch); err != nil {
			return nil, err
		}
		return c.changeBy(next, live)
	}}, nil
}

// decodePatched checks the outcome of a patch. What is wrong with it, or what a
// strict reader found in the patch itself, is an error of the field "patch", which
// shows the outcome.
func (c *call) decodePatched(next object.Object, inPatch []string) (object.Object, error) {
	data := object.AppendJSON(nil, next)
	o, strict, err := c.decodeJSON(data)
	if gvk := o.GroupVersionKind(); err == nil && o.Kind() != "" && o.APIVersion() != "" && gvk != c.face.gvk {
		err = c.errOtherKind(gvk)
	}
	if err == nil {
		err = c.report(findings{fields: slices.Concat(inPatch, strict)})
	}
	if err != nil {
		return nil, object.Invalid(object.GroupKind{}, "", object.FieldErrors{
			object.InvalidField("patch", string(data), err.Error())})
	}
	o.SetType(c.face.typeMeta)
	return o, nil
}
