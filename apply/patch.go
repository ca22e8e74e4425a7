package apply

import (
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// PatchType says how a patch is meant. It is the media type of its request.
type PatchType string

// The types of patches.
const (
	// JSONPatch is a list of operations (RFC 6902). [Parse] reads it.
	JSONPatch PatchType = "application/json-patch+json"
	// MergePatch is the part of a document that changes (RFC 7386). [Parse] reads it.
	MergePatch PatchType = "application/merge-patch+json"
	// StrategicMergePatch merges lists as a schema says. [ParseStrategic] reads it.
	StrategicMergePatch PatchType = "application/strategic-merge-patch+json"
	// ApplyPatch is a configuration, in YAML or JSON, for server-side apply. It is read
	// like an object; [Merger.Apply] merges it.
	ApplyPatch PatchType = "application/apply-patch+yaml"
)

// Patch applies a patch of a type that [Parse] reads to a document.
func Patch(doc object.Object, kind PatchType, patch []byte) (object.Object, error) {
	c, err := Parse(kind, patch)
	if err != nil {
		return nil, err
	}
	return c.Apply(doc)
}

// Change is a patch that has been read. It is immutable and may be shared.
type Change struct {
	kind       PatchType
	merge      map[string]any // for MergePatch
	operations []operation    // for JSONPatch
	strict     []string
}

// Parse reads a JSON Patch or a merge patch. It fails with BadRequest for what is no patch
// of the type, with RequestEntityTooLarge for a JSON Patch of more than 10,000
// operations, and with UnsupportedMediaType for another type.
func Parse(kind PatchType, data []byte) (*Change, error) {
	if kind != JSONPatch && kind != MergePatch {
		return nil, object.NewStatusError(object.ErrUnsupportedMediaType, &object.StatusDetails{}, "415: Unsupported Media Type")
	}
	value, duplicates, err := object.DecodeValueStrict(data)
	if err != nil {
		return nil, undecodable(err)
	}
	c := &Change{kind: kind}
	switch kind {
	case JSONPatch:
		c.operations, err = readOperations(value)
		c.strict = append(findings("json patch duplicate field", duplicates), findings("json patch unknown field", unknownMembers(value))...)
	case MergePatch:
		c.merge, err = readMerge(value)
		c.strict = findings("duplicate field", duplicates)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Strict says what a strict reader refuses in the patch itself, in the API's words:
// fields that occur twice and, in a JSON Patch, unknown members of operations. The
// result is read-only.
func (c *Change) Strict() []string { return c.strict }

// Apply makes the changed document. It fails with Invalid if the patch does not fit.
func (c *Change) Apply(doc object.Object) (object.Object, error) {
	if c.kind == MergePatch {
		next := doc.DeepCopy()
		mergeInto(next, c.merge)
		return next, nil
	}
	d := newDocument(doc.DeepCopy())
	if err := d.apply(c.operations); err != nil {
		return nil, rejected(err)
	}
	root, ok := d.root.(map[string]any)
	if !ok {
		return nil, rejected(errors.New("the document is replaced by one that is no object"))
	}
	return root, nil
}

// undecodable is the failure of a patch that is no JSON.
func undecodable(err error) error {
	var syntax *object.SyntaxError
	if errors.As(err, &syntax) {
		return object.BadRequest("invalid JSON patch")
	}
	return object.BadRequest("error decoding patch: %v", err)
}

// rejected is the failure of a patch that does not fit; why is not told to the client.
func rejected(err error) error {
	e := object.NewStatusError(object.ErrInvalid, &object.StatusDetails{}, "the server rejected our request due to an error in our request")
	e.Err = err
	return e
}
