package apply

import "github.com/seed-6c0fa0ad/plinth/object"

// readMerge takes a decoded merge patch, which must be an object.
func readMerge(value any) (map[string]any, error) {
	switch v := value.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return nil, object.BadRequest("Invalid JSON Patch")
	}
	return nil, object.BadRequest("error decoding patch: json: cannot unmarshal %s into Go value of type map[string]interface {}", object.JSONType(value))
}

// mergeInto changes a document by a merge patch: members that are null go, objects
// are merged, all else is replaced.
//
// Where RFC 7386 takes lists as they are, the API also drops null members of the
// objects in a list, except where the list replaces an object.
func mergeInto(doc, patch map[string]any) {
	for name, value := range patch {
		if value == nil {
			delete(doc, name)
			continue
		}
		inner, into := doc[name].(map[string]any)
		if !into {
			doc[name] = withoutNulls(value)
			continue
		}
		if change, ok := value.(map[string]any); ok {
			mergeInto(inner, change)
			continue
		}
		doc[name] = clone(value)
	}
}

// withoutNulls copies a value and leaves out null members of objects, not
// null elements of lists.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, value := range v {
			if value != nil {
				m[name] = withoutNulls(value)
			}
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = withoutNulls(value)
		}
		return list
	}
	return v
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, value := range v {
			m[name] = clone(value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = clone(value)
		}
		return list
	}
	return v
}
