package storage

import (
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Keys of a backend are "resource[.group]/namespace/name", without the namespace
// for cluster-scoped objects. So the objects of all namespaces come in the order
// of the bytes of "namespace/name", which is the order in which the API lists them.

// keyText is the key of an object, or the prefix of all keys of a collection.
func keyText(k object.Key) string {
	var b strings.Builder
	b.Grow(len(k.Resource) + len(k.Group) + len(k.Namespace) + len(k.Name) + 3)
	b.WriteString(k.Resource)
	if k.Group != "" {
		b.WriteByte('.')
		b.WriteString(k.Group)
	}
	b.WriteByte('/')
	if k.Namespace != "" {
		b.WriteString(k.Namespace)
		b.WriteByte('/')
	}
	b.WriteString(k.Name)
	return b.String()
}

// parseKey reads the key of an object. The result shares the text's memory.
func parseKey(text string) object.Key {
	collection, rest, _ := strings.Cut(text, "/")
	resource, group, _ := strings.Cut(collection, ".")
	return keyIn(object.GroupResource{Group: group, Resource: resource}, rest)
}

// keyIn is the key of an object from the part of its text behind the collection.
func keyIn(gr object.GroupResource, rest string) object.Key {
	namespace, name, found := strings.Cut(rest, "/")
	if !found {
		namespace, name = "", rest
	}
	return object.Key{GroupResource: gr, Namespace: namespace, Name: name}
}
