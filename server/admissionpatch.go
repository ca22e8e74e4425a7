package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// admissionPatcher changes objects as policies and webhooks want them changed. What comes of it
// is read like the document of a client, defaults included.
type admissionPatcher struct {
	*Server
	strict bool // whether fields that nobody knows are refused, as they are of policies
}

var (
	_ policy.Patcher  = admissionPatcher{}
	_ webhook.Patcher = admissionPatcher{}
)

// JSONPatch implements [policy.Patcher] and [webhook.Patcher].
func (p admissionPatcher) JSONPatch(_ context.Context, o object.Object, patch []byte) (object.Object, error) {
	face, err := p.face(o.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	next, err := apply.Patch(o, apply.JSONPatch, patch)
	var status *object.StatusError
	switch {
	case apply.IsFailedTest(err) && p.strict:
		return nil, policy.ErrTestFailed
	case errors.As(err, &status) && status.Err != nil:
		return nil, status.Err // what a client of its own patch is not told
	case err != nil:
		return nil, err
	}
	return p.decode(face, next)
}

// Apply implements [policy.Patcher].
func (p admissionPatcher) Apply(_ context.Context, o, config object.Object) (object.Object, error) {
	face, err := p.face(o.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	next, err := face.version.mergeType().Overlay(o, config)
	if err != nil {
		return nil, err
	}
	return p.decode(face, next)
}

// face gives what knows documents of a kind.
func (p admissionPatcher) face(gvk object.GroupVersionKind) (*served, error) {
	set := p.resources.Load()
	if found, ok := set.ofKind(gvk); ok {
		return found, nil
	}
	if found, ok := set.byView[gvk]; ok {
		return found, nil
	}
	return nil, fmt.Errorf("%s is not served", gvk)
}

// decode reads the outcome of a patch. What is wrong with it is an error of the server: the
// client has no part in it. Webhooks word that themselves.
func (p admissionPatcher) decode(face *served, o object.Object) (object.Object, error) {
	o, err := p.read(face, o)
	if err != nil && p.strict {
		return nil, object.InternalError(err)
	}
	return o, err
}

func (p admissionPatcher) read(face *served, o object.Object) (object.Object, error) {
	if face.version.Codec != nil { // what knows the type needs not be told
		o.SetType(object.TypeMeta{
			Kind:       cmp.Or(o.Kind(), face.typeMeta.Kind),
			APIVersion: cmp.Or(o.APIVersion(), face.typeMeta.APIVersion),
		})
	}
	if gvk := o.GroupVersionKind(); gvk != face.gvk {
		return nil, fmt.Errorf("a patch made %s of %s", gvk, face.gvk)
	}
	o, unknown, err := face.reread(o)
	switch {
	case err != nil:
		return nil, err
	case p.strict && len(unknown) > 0 && face.version.Codec != nil: // custom resources are pruned
		return nil, findings{fields: unknown}.error()
	}
	o.SetType(face.typeMeta)
	return o, nil
}

// reread gives a document that was put together the form that the version wants, and says
// what a strict reader refuses.
func (s *served) reread(o object.Object) (_ object.Object, strict []string, err error) {
	if s.version.Codec == nil {
		return s.rereadFree(o)
	}
	o, strict, err = s.version.Codec.DecodeJSON(object.AppendJSON(nil, o))
	if err == nil {
		s.setDefaults(o)
	}
	return o, strict, err
}

// rereadFree keeps what is empty in the metadata, which a normal form lacks: the next patch may
// add something to it.
func (s *served) rereadFree(o object.Object) (_ object.Object, strict []string, err error) {
	empty := map[string]any{}
	for _, name := range collectionsOfMeta {
		if value, ok := o.Metadata()[name]; ok && isEmpty(value) {
			empty[name] = value
		}
	}
	unknown, err := s.normalize(o)
	if err == nil && len(empty) > 0 {
		maps.Copy(o.EnsureMetadata(), empty)
	}
	return o, unknownFields(unknown), err
}

// collectionsOfMeta are the fields of metadata that are maps and lists, and are written by clients.
var collectionsOfMeta = [...]string{"annotations", "finalizers", "labels", "ownerReferences"}

// dropEmpty leaves out of the metadata what is empty.
func dropEmpty(o object.Object) {
	metadata := o.Metadata()
	for _, name := range collectionsOfMeta {
		if value, ok := metadata[name]; ok && isEmpty(value) {
			delete(metadata, name)
		}
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
