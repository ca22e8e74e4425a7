package storage

import "github.com/seed-6c0fa0ad/plinth/object"

// Kind describes one collection to a program that works with its objects.
type Kind struct {
	object.GroupVersionKind
	Plural     string // in lower case, "widgets"
	Namespaced bool

	// Fields are what a field selector may name beyond metadata.name and
	// metadata.namespace, with the function that reads each from a document.
	Fields map[string]func(object.Object) string
}

func (k *Kind) groupResource() object.GroupResource {
	return object.GroupResource{Group: k.Group, Resource: k.Plural}
}

func (k *Kind) key(namespace, name string) object.Key {
	return object.Key{GroupResource: k.groupResource(), Namespace: namespace, Name: name}
}

func (k *Kind) encode(o object.Object) (object.Encoded, error) {
	var fields map[string]string
	if len(k.Fields) > 0 {
		fields = make(map[string]string, len(k.Fields))
		for name, read := range k.Fields {
			fields[name] = read(o)
		}
	}
	return object.Encode(o, fields)
}
