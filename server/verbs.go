package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// serves says whether the endpoint has the verb.
func (c *call) serves(verb string) bool {
	if c.sub != nil {
		return slices.Contains(c.sub.Verbs, verb)
	}
	return len(c.Verbs) == 0 || slices.Contains(c.Verbs, verb)
}

// negotiate chooses the form of an answer that is one object.
func (x *exchange) negotiate() (err error) {
	if x.form, err = x.negotiator.form(x.r, x.face.offer); err != nil {
		return err
	}
	return x.form.checkSingle(x.face)
}

func (x *exchange) serveGet() error {
	if err := x.negotiate(); err != nil {
		return err
	}
	at, err := parseGetVersion(x.r)
	if err != nil {
		return err
	}
	if current := x.config.Store.Version(); at > current {
		return object.TooLargeResourceVersion(at, current)
	}
	e, err := x.live(x.r.Context())
	if err != nil {
		return err
	}
	x.respond(http.StatusOK, e)
	return nil
}

// parseGetVersion reads the version that a get must not be older than.
func parseGetVersion(r *http.Request) (object.ResourceVersion, error) {
	if !strings.Contains(r.URL.RawQuery, "resourceVersion") {
		return 0, nil
	}
	at, err := object.ParseResourceVersion(r.URL.Query().Get("resourceVersion"))
	if err != nil {
		return 0, errPlain(err)
	}
	return at, nil
}

func (x *exchange) serveCreate() error {
	o, err := x.readObject("CreateOptions")
	if err != nil {
		return err
	}
	e, err := x.post(x.r.Context(), o)
	if err != nil {
		return err
	}
	x.respond(http.StatusCreated, e)
	return nil
}

func (x *exchange) serveUpdate() error {
	o, err := x.readObject("UpdateOptions")
	if err != nil {
		return err
	}
	change, err := x.replace(o)
	if err != nil {
		return err
	}
	return x.respondUpdate(change)
}

// respondUpdate makes a change and answers with the object.
func (x *exchange) respondUpdate(change change) error {
	e, created, err := x.update(x.r.Context(), change)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	x.respond(code, e)
	return nil
}

// readObject is the beginning of every write of a whole object, in the order of
// the API's checks: form of the answer, type of the body, size, options, document.
func (x *exchange) readObject(optionsKind string) (object.Object, error) {
	if err := x.negotiate(); err != nil {
		return nil, err
	}
	media, err := bodyType(x.r.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	data, err := readBody(x.r)
	if err != nil {
		return nil, err
	}
	if x.opts, err = parseWriteOptions(x.r.URL.Query(), optionsKind); err != nil {
		return nil, err
	}
	x.agent = apply.ManagerOf(x.r.UserAgent())
	return x.decodeBody(media, data)
}

func (x *exchange) servePatch() error {
	kind, err := x.patchType(x.r)
	if err != nil {
		return err
	}
	if err := x.negotiate(); err != nil {
		return err
	}
	data, err := readBody(x.r)
	if err != nil {
		return err
	}
	if x.opts, err = parsePatchOptions(x.r.URL.Query(), kind); err != nil {
		return err
	}
	x.agent = apply.ManagerOf(x.r.UserAgent())
	change, err := x.patch(kind, data)
	if err != nil {
		return err
	}
	return x.respondUpdate(change)
}

func (x *exchange) serveDelete() error {
	if err := x.negotiate(); err != nil {
		return err
	}
	opts, err := x.readDeleteOptions()
	if err != nil {
		return err
	}
	x.agent = apply.ManagerOf(x.r.UserAgent())
	d, err := x.delete(x.r.Context(), opts)
	if err != nil {
		return err
	}
	switch {
	case !d.removed && opts.OrphanDependents != nil && !*opts.OrphanDependents:
		x.respond(http.StatusAccepted, d.object) // as the API has it, for those who ask in the old way
		return nil
	case !d.removed || x.ReturnDeleted:
		x.respond(http.StatusOK, d.object)
		return nil
	}
	x.respondStatus(object.Status{
		TypeMeta: object.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   "Success",
		Details:  &object.StatusDetails{Name: x.name, Group: x.Group, Kind: x.Plural, UID: d.uid},
	})
	return nil
}

// readDeleteOptions reads the options from the body or, without one, from the
// query. A dry run holds from either place.
func (x *exchange) readDeleteOptions() (opts gc.DeleteOptions, err error) {
	data, err := readBody(x.r)
	if err != nil {
		return opts, err
	}
	query := x.r.URL.Query()
	if len(data) > 0 {
		opts, err = x.decodeDeleteOptions(data)
	} else {
		opts, err = gc.QueryDeleteOptions(query)
	}
	if err != nil {
		return opts, err
	}
	if len(opts.DryRun) == 0 {
		opts.DryRun = query["dryRun"]
	}
	x.opts.DryRun = opts.DryRun
	if err := opts.Validate(); err != nil {
		return opts, err
	}
	if x.OrphanWarning != "" && !opts.NamesPolicy() {
		x.warn(x.OrphanWarning)
	}
	return opts, nil
}

func (x *exchange) decodeDeleteOptions(data []byte) (gc.DeleteOptions, error) {
	media, err := bodyType(x.r.Header.Get("Content-Type"))
	if err != nil {
		return gc.DeleteOptions{}, err
	}
	switch media {
	case mediaProtobuf:
		return decodeDeleteOptionsProtobuf(data)
	case mediaYAML:
		if data, err = yaml.ToJSON(data); err != nil {
			return gc.DeleteOptions{}, object.BadRequest("%v", err)
		}
	}
	o, err := object.Decode(data)
	if err != nil {
		return gc.DeleteOptions{}, object.BadRequest("couldn't get version/kind; json parse error: %v", err)
	}
	return gc.ParseDeleteOptions(o)
}

func (x *exchange) serveDeleteCollection() error {
	list, _, err := x.beginList()
	if err != nil {
		return err
	}
	opts, err := x.readDeleteOptions()
	if err != nil {
		return err
	}
	if err := opts.ValidateAll(); err != nil {
		return err
	}
	x.agent = apply.ManagerOf(x.r.UserAgent())
	var keys []object.Key
	l, err := x.readList(list, func(key object.Key) { keys = append(keys, key) })
	if err != nil {
		return err
	}
	if err := x.deleteEach(x.r.Context(), keys, opts); err != nil {
		return err
	}
	x.sendList(l, listMetaOf(list))
	return nil
}
