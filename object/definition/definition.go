package definition

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Definition is a valid CustomResourceDefinition.
type Definition struct {
	Name, UID, Group string
	Names            Names // those asked for, in the spec
	Accepted         Names // those in use, in the status
	Namespaced       bool
	Conversion       Conversion

	// PreserveUnknownFields keeps all fields of all objects. New definitions cannot
	// have it.
	PreserveUnknownFields bool

	Versions       []*Version // in the order of the document
	StoredVersions []string   // all in which objects may still be stored
}

// Conversion says how objects get from one version to another.
type Conversion struct {
	Strategy string   // None or Webhook
	Webhook  *Webhook // nil but for Webhook
}

// Webhook is where objects are sent for conversion: to a URL or a service.
type Webhook struct {
	URL            string
	Service        *Service // nil if there is a URL
	CABundle       []byte   // certificates in PEM; empty for those of the system
	ReviewVersions []string // of ConversionReview, the preferred one first
}

// Service names a service, a path and a port of it.
type Service struct {
	Namespace, Name, Path string
	Port                  int32
}

// Version gives the version of that name, or nil.
func (d *Definition) Version(name string) *Version {
	for _, v := range d.Versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// StorageVersion gives the version in which objects are stored.
func (d *Definition) StorageVersion() *Version {
	for _, v := range d.Versions {
		if v.Storage {
			return v
		}
	}
	return nil
}

// Resource names the collection of the objects.
func (d *Definition) Resource() object.GroupResource {
	return object.GroupResource{Group: d.Group, Resource: d.Names.Plural}
}
