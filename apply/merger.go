package apply

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/merge"
	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Merger merges what several writers want of the objects of a kind, and keeps account
// in managedFields of who owns which field. Its fields must not change while it is in
// use; any number of goroutines may use it.
type Merger struct {
	// Kind is that of the objects and the version in which they are written: that of the
	// endpoint. Objects of other versions are converted to it.
	Kind object.GroupVersionKind
	// Type tells how objects of a version merge, nil for a version that does not exist
	// or no longer. Owners who wrote in such a version are forgotten.
	Type func(apiVersion string) *Type
	// Convert gives an object, which it leaves as it is, in another version that Type
	// knows. Nil is for kinds whose versions differ in nothing but apiVersion.
	Convert func(o object.Object, apiVersion string) (object.Object, error)
	// Empty gives what an object of Kind has before anything is written to it, which is
	// read-only: a type in Go shows some of its members always. Nil is for nothing.
	Empty func() object.Object
}

// Writer says who writes, and where.
type Writer struct {
	Manager     string    // empty counts as "unknown"
	Subresource string    // empty for the object itself
	Filter      *Filter   // what can be changed there; nil for all
	Now         time.Time // of the write
}

func (w Writer) owner(apiVersion, operation string) *owner {
	manager := w.Manager
	if manager == "" {
		manager = "unknown"
	}
	return &owner{manager: manager, operation: operation, apiVersion: apiVersion, subresource: w.Subresource}
}

func (w Writer) time() string { return w.Now.UTC().Format(time.RFC3339) }

func (m *Merger) apiVersion() string { return m.Kind.GroupVersion().String() }

// errNoVersion says that a version does not exist.
var errNoVersion = errors.New("no such version")

// write is a write under way. It converts each object once to each version.
type write struct {
	*Merger
	converted []conversion
}

type conversion struct {
	from, to *typed.TypedValue
	version  fieldpath.APIVersion
}

// versioned gives an object without managedFields in a version.
func (op *write) versioned(o object.Object, apiVersion string) (object.Object, error) {
	switch {
	case len(o) == 0 && op.Empty != nil: // one that is to be created
		return op.Empty(), nil
	case len(o) == 0:
		return object.Object{"apiVersion": apiVersion, "kind": op.Kind.Kind}, nil
	case o.APIVersion() == apiVersion:
	case op.Merger.Convert == nil:
		o = maps.Clone(o)
		o["apiVersion"] = apiVersion
	default:
		var err error
		if o, err = op.Merger.Convert(o, apiVersion); err != nil {
			return nil, fmt.Errorf("converting %s to %s: %w", o, apiVersion, err)
		}
	}
	return withoutOwners(o), nil
}

func withoutOwners(o object.Object) object.Object {
	metadata := o.Metadata()
	if _, ok := metadata["managedFields"]; !ok {
		return o
	}
	o, metadata = maps.Clone(o), maps.Clone(metadata)
	delete(metadata, "managedFields")
	o["metadata"] = metadata
	return o
}

func (op *write) read(o object.Object, apiVersion string, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	t := op.Type(apiVersion)
	if t == nil {
		return nil, fmt.Errorf("%s %s: %w", op.Kind.Kind, apiVersion, errNoVersion)
	}
	return t.read(o, options...)
}

// Convert implements [merge.Converter].
func (op *write) Convert(v *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	o := untyped(v)
	if o.APIVersion() == string(version) {
		return v, nil
	}
	for _, c := range op.converted {
		if c.from == v && c.version == version {
			return c.to, nil
		}
	}
	if op.Type(string(version)) == nil {
		return v, errNoVersion
	}
	converted, err := op.versioned(o, string(version))
	if err != nil {
		return v, err
	}
	to, err := op.read(converted, string(version), typed.AllowDuplicates)
	if err != nil {
		return v, err
	}
	op.converted = append(op.converted, conversion{v, to, version})
	return to, nil
}

// IsMissingVersionError implements [merge.Converter].
func (op *write) IsMissingVersionError(err error) bool { return errors.Is(err, errNoVersion) }

var _ merge.Converter = (*write)(nil)

func (op *write) updater(w Writer, all owners) *merge.Updater {
	builder := merge.UpdaterBuilder{
		Converter:    op,
		IgnoreFilter: w.Filter.of(append(all.versions(), fieldpath.APIVersion(op.apiVersion()))...),
	}
	return builder.BuildUpdater()
}

// The fields, of an object and of its metadata, that identify it or belong to the
// server. Nobody owns them.
var (
	identityAtTop      = []string{"apiVersion", "kind"}
	identityInMetadata = []string{"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
		"managedFields", "resourceVersion"}
)

// isIdentity says whether a field is one of these, by the field that holds it, "" for
// the object.
func isIdentity(parent, name string) bool {
	switch parent {
	case "":
		return slices.Contains(identityAtTop, name)
	case "metadata":
		return slices.Contains(identityInMetadata, name)
	}
	return false
}

// notOwned are these fields, and metadata itself.
func notOwned() *fieldpath.Set {
	set := dotted(append([]string{"metadata"}, identityAtTop...)...)
	for _, name := range identityInMetadata {
		set.Insert(fieldPath("metadata." + name))
	}
	return set
}
