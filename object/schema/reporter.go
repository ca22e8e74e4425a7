package schema

import "github.com/seed-6c0fa0ad/plinth/object"

// trail is where a checker of schemas is: paths are written out only for errors.
type trail struct {
	root  string
	route route
}

func (t *trail) enter(field string) { t.route.field(field) }

func (t *trail) enterKey(field, key string) {
	t.route.field(field)
	t.route.key(key)
}

func (t *trail) enterIndex(field string, i int) {
	t.route.field(field)
	t.route.index(i)
}

// leave goes back by as many steps.
func (t *trail) leave(steps int) { t.route = t.route[:len(t.route)-steps] }

// path is that of a field at hand.
func (t *trail) path(field string) string { return child(t.route.under(t.root), field) }

// reporter gathers what a checker of schemas finds on its way, each time of a field of
// the node at hand.
type reporter struct {
	trail
	errs object.FieldErrors
}

func reporterAt(root string) reporter { return reporter{trail: trail{root: root}} }

func (r *reporter) invalid(field string, value any, detail string) {
	r.errs = append(r.errs, object.InvalidField(r.path(field), value, detail))
}

func (r *reporter) required(field, detail string) {
	r.errs = append(r.errs, object.RequiredField(r.path(field), detail))
}

func (r *reporter) forbidden(field, detail string) {
	r.errs = append(r.errs, object.ForbiddenField(r.path(field), detail))
}
