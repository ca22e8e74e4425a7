package gc

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The propagation policies: what becomes of the objects that the deleted one owns.
const (
	Background = "Background" // they are deleted after it
	Foreground = "Foreground" // they are deleted before it
	Orphan     = "Orphan"     // they stay
)

// DeleteOptions are the options of a DELETE. Nil and empty fields were not given.
type DeleteOptions struct {
	GracePeriodSeconds *int64
	Preconditions      *Preconditions
	OrphanDependents   *bool // the older way to say Orphan or Background
	PropagationPolicy  *string
	DryRun             []string
	IgnoreReadErrors   *bool // delete what cannot be read, and nothing else; unsafe
}

// Preconditions must hold for an object to be deleted.
type Preconditions struct {
	UID, ResourceVersion *string
}

// ParseDeleteOptions reads options from the body of a DELETE: a DeleteOptions of any
// group and version, with unknown fields passed over. nil is a body that says null.
// Errors are BadRequest.
func ParseDeleteOptions(doc object.Object) (DeleteOptions, error) {
	if kind := doc.Kind(); kind != "" && kind != "DeleteOptions" {
		return DeleteOptions{}, object.BadRequest("no kind %q is registered for version %q in scheme %q", kind, doc.APIVersion(), "pkg/runtime/scheme.go:111")
	}
	r := reader{members: doc, parent: "DeleteOptions"}
	o := DeleteOptions{
		GracePeriodSeconds: r.integer("gracePeriodSeconds"),
		OrphanDependents:   field[bool](&r, "orphanDependents", "bool"),
		PropagationPolicy:  field[string](&r, "propagationPolicy", "v1.DeletionPropagation"),
		DryRun:             r.texts("dryRun"),
		IgnoreReadErrors:   field[bool](&r, ignoreReadErrors, "bool"),
	}
	if m := field[map[string]any](&r, "preconditions", "v1.Preconditions"); m != nil {
		inner := reader{members: *m, parent: "Preconditions.preconditions", err: r.err}
		o.Preconditions = &Preconditions{
			UID:             field[string](&inner, "uid", "types.UID"),
			ResourceVersion: field[string](&inner, "resourceVersion", "string"),
		}
		r.err = inner.err
	}
	if r.err != nil {
		return DeleteOptions{}, object.BadRequest("%s", r.err)
	}
	return o, nil
}

// QueryDeleteOptions reads options from the query of a DELETE without a body.
// Errors are BadRequest.
func QueryDeleteOptions(query url.Values) (DeleteOptions, error) {
	o := DeleteOptions{DryRun: query["dryRun"]}
	if query.Has("gracePeriodSeconds") {
		n, err := strconv.ParseInt(query.Get("gracePeriodSeconds"), 10, 64)
		if err != nil {
			return DeleteOptions{}, object.BadRequest("%s", err)
		}
		o.GracePeriodSeconds = &n
	}
	o.OrphanDependents = queryFlag(query, "orphanDependents")
	o.IgnoreReadErrors = queryFlag(query, ignoreReadErrors)
	if query.Has("propagationPolicy") {
		policy := query.Get("propagationPolicy")
		o.PropagationPolicy = &policy
	}
	var given Preconditions
	if uid := query.Get("uid"); uid != "" {
		given.UID = &uid
	}
	if version := query.Get("resourceVersion"); version != "" {
		given.ResourceVersion = &version
	}
	if given != (Preconditions{}) {
		o.Preconditions = &given
	}
	return o, nil
}

// queryFlag reads a flag from a query; any word but these two is true.
func queryFlag(query url.Values, name string) *bool {
	if !query.Has(name) {
		return nil
	}
	word := query.Get(name)
	return new(word != "0" && !strings.EqualFold(word, "false"))
}

const ignoreReadErrors = "ignoreStoreReadErrorWithClusterBreakingPotential"

// Validate says whether the options make sense. The error is Invalid.
func (o DeleteOptions) Validate() error {
	var errs object.FieldErrors
	if policy := o.PropagationPolicy; policy != nil {
		if o.OrphanDependents != nil {
			errs = append(errs, object.InvalidField("propagationPolicy", *policy, "orphanDependents and deletionPropagation cannot be both set"))
		}
		switch *policy {
		case Background, Foreground, Orphan:
		default:
			errs = append(errs, object.UnsupportedField("propagationPolicy", *policy, Foreground, Background, Orphan, "nil"))
		}
	}
	for _, word := range o.DryRun {
		if word != "All" {
			errs = append(errs, object.UnsupportedField("dryRun", o.DryRun, "All"))
			break
		}
	}
	return invalidOptions(append(errs, o.besideUnsafe()...))
}

// ValidateAll is Validate for the deletion of a collection.
func (o DeleteOptions) ValidateAll() error {
	if err := o.Validate(); err != nil || !o.Unsafe() {
		return err
	}
	return invalidOptions(object.FieldErrors{
		object.InvalidField(ignoreReadErrors, true, "is not allowed with DELETECOLLECTION, try again after removing the option")})
}

// Unsafe says whether what cannot be read is to be deleted, and nothing else.
func (o DeleteOptions) Unsafe() bool { return o.IgnoreReadErrors != nil && *o.IgnoreReadErrors }

// besideUnsafe tells of options that make no sense for what cannot be read.
func (o DeleteOptions) besideUnsafe() (errs object.FieldErrors) {
	if !o.Unsafe() {
		return nil
	}
	for _, beside := range []struct {
		given bool
		name  string
	}{
		{o.PropagationPolicy != nil, "propagationPolicy"}, {o.OrphanDependents != nil, "orphanDependents"},
		{o.GracePeriodSeconds != nil, "gracePeriodSeconds"}, {o.Preconditions != nil, "preconditions"},
	} {
		if beside.given {
			errs = append(errs, object.InvalidField(ignoreReadErrors, true, "cannot be set together with ."+beside.name))
		}
	}
	return errs
}

func invalidOptions(errs object.FieldErrors) error {
	if len(errs) == 0 {
		return nil
	}
	return object.Invalid(object.GroupKind{Group: "meta.k8s.io", Kind: "DeleteOptions"}, "", errs)
}

// reader takes typed fields out of a decoded document and keeps the first
// error, which names the field and its Go type in the API.
type reader struct {
	members map[string]any
	parent  string
	err     error
}

func field[T any](r *reader, name, goType string) *T {
	switch v := r.members[name].(type) {
	case nil:
	case T:
		return &v
	default:
		r.fail(name, v, goType)
	}
	return nil
}

// integer reads a number without fraction; the decoder makes a float of one that is written as 1e3.
func (r *reader) integer(name string) *int64 {
	if f, ok := r.members[name].(float64); ok {
		if f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			r.fail(name, f, "int64")
			return nil
		}
		n := int64(f)
		return &n
	}
	return field[int64](r, name, "int64")
}

func (r *reader) texts(name string) []string {
	list := field[[]any](r, name, "[]string")
	if list == nil {
		return nil
	}
	var texts []string
	for _, v := range *list {
		text, ok := v.(string)
		if !ok && v != nil {
			r.fail(name, v, "string")
		}
		texts = append(texts, text)
	}
	return texts
}

func (r *reader) fail(name string, v any, goType string) {
	if r.err == nil {
		r.err = fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", typeOf(v), r.parent, name, goType)
	}
}

// typeOf names a value's type as the API's errors do, which show a number with a fraction.
func typeOf(v any) string {
	if f, ok := v.(float64); ok {
		return "number " + string(object.AppendJSON(nil, f))
	}
	return object.JSONType(v)
}
