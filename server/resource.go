package server

import (
	"time"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Resource describes one collection that a server serves: its names, its
// versions and the rules of its objects. It is plain data; a zero field means the
// ordinary thing.
type Resource struct {
	Group      string // "" for the core group
	Plural     string // lower case, as in paths
	Singular   string // the kind in lower case, if empty
	Kind       string
	ListKind   string // Kind + "List", if empty
	ShortNames []string
	Categories []string
	Namespaced bool

	// Versions are those served, the preferred one first. Objects are stored in
	// the form that all versions convert from and to.
	Versions []Version

	// Unserved are versions that owners of fields may have written in though they are
	// not served any more. Their schemas and Documents are looked at.
	Unserved []Version

	// FormerVersions are those in which documents of the kind are known though they
	// are not served any more: they are refused in other words.
	FormerVersions []string

	// Collection is where the objects are kept, if not under Group and Plural:
	// two resources may show the same objects, as the two kinds of events do.
	Collection object.GroupResource

	// TTL is how long an object lives after it was last written; for ever if zero.
	TTL time.Duration

	// Fields are what a field selector may name beyond metadata.name and
	// metadata.namespace, with the function that reads each from a stored document.
	Fields map[string]func(object.Object) string

	// ValidateName checks a name, or with prefix a generateName, and says what is
	// wrong with it; [object.ValidateSubdomainName], if nil.
	ValidateName func(name string, prefix bool) []string

	// CreateOnUpdate lets a PUT create the object that it names.
	CreateOnUpdate bool

	// NoDependents says that nothing is ever owned by such an object: it waits for no
	// dependents, whatever a DELETE or its finalizers say.
	NoDependents bool

	// VersionedUpdate refuses a PUT that names no resource version.
	VersionedUpdate bool

	// Generation keeps metadata.generation: 1 at first, one more with every
	// change of anything but metadata and status.
	Generation bool

	// Grace says how long an object is given to end when it is deleted. Nil is for kinds
	// without graceful deletion.
	Grace gc.Grace

	// Held says that an object must stay when it is deleted, although it has no
	// finalizers in its metadata, as a namespace does that has some in its spec; and
	// BeginDelete completes its mark beyond the deletion timestamp. Both may be nil.
	// HeldByPolicy gives such an object the finalizer of the propagation policy, too.
	Held         func(o object.Object) bool
	BeginDelete  func(o object.Object)
	HeldByPolicy bool

	// Orphans says that what an object owns stays if a DELETE doesn't say what becomes of
	// it. OrphanWarning, if there is one, tells the client so.
	Orphans       bool
	OrphanWarning string

	// Protected are the names of objects that cannot be deleted.
	Protected []string

	// ReturnDeleted answers a DELETE with the object instead of a Status.
	ReturnDeleted bool

	// Closed says why no objects are created any more; they are, if it is empty.
	Closed string

	// Verbs are those served for the object itself; all, if empty.
	Verbs []string

	Rules        // of the objects themselves
	Subresources []Subresource
}

// Rules are what a kind wants of its objects, in the stored form (see [Documents]
// for the exception). old is nil on a create. Both functions may be nil.
type Rules struct {
	// Prepare completes and corrects next before it is admitted: defaults, fields
	// that the server owns, what this endpoint may not change. old is read-only.
	Prepare func(next, old object.Object)

	// Validate says what is wrong with next.
	Validate func(next, old object.Object) object.FieldErrors

	// Warn says what a client should know of a valid next.
	Warn func(next, old object.Object) []string

	// Changes says which fields a write of this endpoint can change; others are neither
	// owned through it nor taken from their owners. If it is nil, that is all but the
	// status for objects with a subresource of that name, and all but the spec for the
	// status.
	Changes *apply.Filter
}

// Version is one form in which a resource is served.
type Version struct {
	Name string // "v1"

	// Warning goes with every answer, if there is one: that the version is deprecated.
	Warning string

	// Columns are the cells of a Table behind the name; one of them may be the name
	// itself, then none is put in front. Without any, a Table has the name and the age.
	Columns []Column

	// Codec ties the documents to a Go type. Without one they are free JSON, and
	// protobuf is refused as it is for custom resources.
	Codec Codec

	// JSONOnly refuses protobuf although there is a Codec, whose functions for it are
	// not called then.
	JSONOnly bool

	// Default completes a document of a client, or one that a patch or an apply made, as
	// its Codec has read it. What it sets belongs to the client, unlike what the rules
	// prepare. It may be nil.
	Default func(o object.Object)

	// FromStored and ToStored convert between the stored form and this one, in
	// place or not; nil if they are the same but for the apiVersion.
	FromStored, ToStored func(object.Object) (object.Object, error)

	// Documents gives meaning to free JSON, for a version without Codec whose
	// documents follow a schema.
	Documents *Documents

	// Schema is published for the kind: the schema of its objects, as a document of
	// OpenAPI v3. Without one it is that of the Codec, if that is a [SchemaCodec], or else
	// nothing is said of what is in them.
	Schema *schema.Schema

	// Rules, Subresources and Fields take the place of those of the resource, each if
	// it is set, for kinds whose versions differ in them. Fields of one name read the
	// same, wherever they are: each object has one value for it.
	Rules        *Rules
	Subresources []Subresource
	Fields       map[string]func(object.Object) string

	mergeType func() *apply.Type // how the documents merge, made from the schema at first use
}

// Documents are what a schema makes of the documents of a version. Rules see them
// in this version then, not in the stored form, and conversion between versions is
// a part of reading and writing the store.
type Documents struct {
	// Decode gives a document of a client the form that the schema knows, in place:
	// unknown fields gone, defaults set. It returns the paths of the fields that a strict
	// reader refuses. Errors are worded as the API does.
	Decode func(o object.Object) (unknown []string, err error)

	// Complete does the same with a document that was merged from others, in which
	// nulls stay.
	Complete func(o object.Object) error

	// Forms are the marks of stored documents that are documents of this version as
	// they are, but for the apiVersion. Others are handed to Load.
	Forms []string

	// Load gives stored objects in this version: with a body that is one of its
	// documents. All come from one list, so that a conversion can take them together.
	Load func(stored []*object.Encoded) ([]*object.Encoded, error)

	// Convert gives a document of this version in another one and adds nothing: the document
	// may lack whatever a merge takes away, even the name. It belongs to the callee.
	Convert func(o object.Object, version string) (object.Object, error)

	// Store gives the form in which a document of this version is kept, with a mark
	// under [FormField] that says which it is.
	Store func(o object.Object) (object.Encoded, error)
}

// FormField is the name under which the head of a stored document says which form
// its body has. No field selector can name it.
const FormField = ".form"

// Column is one column of a Table.
type Column struct {
	Name        string
	Type        string // string, integer, number, boolean or date
	Format      string // "name" for the column of names
	Description string
	Priority    int32 // above 0: shown in wide output only
	Verbatim    bool  // of a date: shown as it is and not as an age
	// Value of the cell: a string, an integer, a boolean or nil. It sees an object without its
	// managedFields, which are most of the work of reading it, unless SeesOwners says that
	// it needs them.
	Value      func(o object.Object) any
	SeesOwners bool
}

// Subresource is a second endpoint of an object, which reads it whole and writes
// a part of it.
type Subresource struct {
	Name  string   // "status"
	Verbs []string // of get, update and patch
	View  *View    // if it shows something else than the object
	Rules
}

// View shows an object as a document of another kind, such as its scale.
type View struct {
	Kind object.GroupVersionKind

	// Codec reads and writes the documents.
	Codec Codec

	// Columns are those of a Table of the documents, as of a [Version].
	Columns []Column

	// Replicas is the dotted path in the object of what the document has in
	// spec.replicas, such as "spec.replicas": who writes this in the document owns that
	// in the object.
	Replicas string

	// Show makes the document of an object; Begin makes it for a patch, where what the
	// patch must bring may be missing; and Apply gives a copy of the object in the state
	// that a document wants. o is read-only.
	Show, Begin func(o object.Object) (object.Object, error)
	Apply       func(o, view object.Object) (object.Object, error)
}

// Codec gives the documents of one version of a kind the semantics of a Go type,
// and their protobuf form.
type Codec interface {
	// DecodeJSON reads a document as the type does and gives the document that the
	// type makes of it: unknown fields gone, nulls and absent values as the type
	// has them. strict names what a strict reader refuses, in the API's words
	// (`unknown field "spec.a"`, `duplicate field "spec.b"`), in the order found.
	// Errors are worded as encoding/json words them.
	DecodeJSON(data []byte) (o object.Object, strict []string, err error)

	// DecodeProtobuf reads the message of the kind (without envelope).
	DecodeProtobuf(data []byte) (object.Object, error)

	// AppendProtobuf appends the message for a document in JSON, which may stand in front of
	// it in the same buffer.
	AppendProtobuf(dst, document []byte) ([]byte, error)
}

// SchemaCodec is a Codec that knows the schema of its documents.
type SchemaCodec interface {
	Codec

	// Schema is called when the schema is needed, each time. It may be called by several
	// goroutines at once.
	Schema() *schema.Schema
}

// schema gives that of the objects, or nil.
func (v *Version) schema() *schema.Schema {
	if codec, ok := v.Codec.(SchemaCodec); ok && v.Schema == nil {
		return codec.Schema()
	}
	return v.Schema
}
