package server

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// toStored converts a document of the version to the stored form.
func (s *served) toStored(o object.Object) (object.Object, error) {
	if s.version.ToStored == nil {
		return o, nil
	}
	return s.version.ToStored(o)
}

// fromStored parses a stored object in the version of the call. The result
// belongs to the caller.
func (s *served) fromStored(e *object.Encoded) (object.Object, error) {
	e, err := s.current(e)
	if err != nil {
		return nil, err
	}
	o, err := e.Object(s.typeMeta)
	if err != nil || s.version.FromStored == nil {
		return o, err
	}
	if o, err = s.version.FromStored(o); err != nil {
		return nil, err
	}
	o.SetType(s.typeMeta)
	return o, nil
}

// ruled parses a stored object in the form that the kind's rules are about.
func (s *served) ruled(e *object.Encoded) (object.Object, error) {
	if s.version.Documents != nil {
		return s.fromStored(e)
	}
	return e.Object(s.typeMeta)
}

// encode gives the stored form of a document.
func (s *served) encode(o object.Object) (object.Encoded, error) {
	if s.version.Documents != nil {
		return s.version.Documents.Store(o)
	}
	var fields map[string]string
	if len(s.indexed) > 0 {
		fields = make(map[string]string, len(s.indexed))
		for name, read := range s.indexed {
			fields[name] = read(o)
		}
	}
	return object.Encode(o, fields)
}

// dropDuplicateOwners removes owner references that say the same twice, with a
// warning that names the owners, and is another one after a patch.
func (c *call) dropDuplicateOwners(o object.Object, patched bool) {
	refs, _ := o.Metadata()["ownerReferences"].([]any)
	if len(refs) < 2 {
		return
	}
	var kept []any
	var repeated []string
	seen := make(map[string]bool, len(refs))
	for _, ref := range refs {
		text := string(object.AppendJSON(nil, ref))
		if seen[text] {
			repeated = append(repeated, uidOf(ref))
			continue
		}
		seen[text] = true
		kept = append(kept, ref)
	}
	if len(repeated) == 0 {
		return
	}
	o.Metadata()["ownerReferences"] = kept
	when := ""
	if patched {
		when = " after mutating admission happens"
	}
	c.warn(".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, " +
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
		strings.Join(slices.Compact(slices.Sorted(slices.Values(repeated))), ", "))
}

func uidOf(ref any) string {
	m, _ := ref.(map[string]any)
	uid, _ := m["uid"].(string)
	return uid
}
