package builtin

import (
	"strings"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// row is a kind of the table. What a kind has beyond that (defaults, checks and
// columns) belongs into functions of a file of its own, which its row names.
type row struct {
	group, version string
	kind, plural   string
	shortNames     string // with spaces between
	codec          typed
	traits         trait

	endpoints []server.Subresource // beside status and scale

	verbs   []string        // all, if empty
	columns []server.Column // name and age, if empty

	defaults func(o object.Object)
	// settle is what else happens to an object before it is written, once its status is
	// what it was or, if old is nil, that of a new object. settleStatus is the same for
	// writes of the status.
	settle, settleStatus func(next, old object.Object)

	validate, validateStatus validate
	warn                     func(next, old object.Object) []string
	warning                  string // that goes with every answer

	fields       map[string]func(object.Object) string // selectable
	validateName func(name string, prefix bool) []string

	// counts is the member of the metadata whose changes count for the generation,
	// beside those of the content.
	counts string
	// statusKeeps is the member of the metadata that the endpoint of the status can't
	// change.
	statusKeeps string
	// phase is where the status of a new object begins.
	phase string
	// grace is how long an object is given to end; nil for no time.
	grace gc.Grace
	// orphanWarning is what a DELETE hears that leaves what the object owns without saying so.
	orphanWarning string
}

// validate is the shape of a kind's own checks.
type validate = func(next, old object.Object) object.FieldErrors

// trait is what kinds have in common. Traits are joined by |.
type trait uint

const (
	clusterWide      trait = 1 << iota // in no namespace
	inAll                              // of the category all
	hasStatus                          // which an endpoint of its own writes
	statusAtCreation                   // which a POST sets, too
	hasScale                           // by spec.replicas
	generated                          // with a generation that counts changes
	putCreates                         // a PUT may create
	putVersioned                       // a PUT must name the version that it replaces
	returnDeleted                      // a DELETE answers with the object
	orphans                            // a DELETE that says nothing of what the object owns leaves it
)

func (r *row) has(t trait) bool { return r.traits&t != 0 }

// resource describes the kind to a server.
func (r *row) resource() server.Resource {
	out := server.Resource{
		Group: r.group, Plural: r.plural, Kind: r.kind, ShortNames: strings.Fields(r.shortNames),
		Namespaced:      !r.has(clusterWide),
		Versions:        []server.Version{{Name: r.version, Codec: r.codec, Warning: r.warning, Columns: r.columns, Default: r.defaults}},
		Verbs:           r.verbs,
		Grace:           r.grace,
		Fields:          r.fields,
		ValidateName:    r.validateName,
		CreateOnUpdate:  r.has(putCreates),
		VersionedUpdate: r.has(putVersioned),
		ReturnDeleted:   r.has(returnDeleted),
		Orphans:         r.has(orphans),
		OrphanWarning:   r.orphanWarning,
		Generation:      r.has(generated) && r.counts == "",
		Rules:           server.Rules{Prepare: r.prepare(), Validate: named(nothing), Warn: r.warn},
	}
	if r.columns == nil {
		out.Versions[0].Columns = []server.Column{age()}
	}
	if r.validate != nil {
		out.Validate = named(r.validate)
	}
	if r.has(inAll) {
		out.Categories = []string{"all"}
	}
	verbs := []string{"get", "patch", "update"}
	if r.has(hasStatus) {
		out.Subresources = append(out.Subresources, server.Subresource{
			Name: "status", Verbs: verbs, Rules: server.Rules{Prepare: r.prepareStatus, Validate: r.validateStatus, Changes: r.statusChanges()},
		})
	}
	if r.has(hasScale) {
		out.Subresources = append(out.Subresources, server.Subresource{
			Name: "scale", Verbs: verbs, View: scaleView(), Rules: out.Rules,
		})
	}
	out.Subresources = append(out.Subresources, r.endpoints...)
	return out
}

// prepare gives what happens to an object before it is written.
func (r *row) prepare() func(next, old object.Object) {
	status := initialStatus(r.codec, r.phase)
	return func(next, old object.Object) {
		r.codec.asStored(next)
		switch {
		case !r.has(hasStatus), old == nil && r.has(statusAtCreation):
		case old == nil:
			next["status"] = status()
		default:
			keep(next, old, "status")
		}
		if r.settle != nil {
			r.settle(next, old)
		}
		if r.counts != "" {
			r.countChange(next, old)
		}
	}
}

// countChange sets the generation of a kind for which more than the content counts.
func (r *row) countChange(next, old object.Object) {
	switch {
	case old == nil:
		next.SetGeneration(1)
	case differ(next, old, "apiVersion", "kind", "metadata", "status"),
		!object.EqualValues(next.Metadata()[r.counts], old.Metadata()[r.counts]):
		next.SetGeneration(old.Generation() + 1)
	}
}
