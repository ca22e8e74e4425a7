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
	if wantsExport(x.r) {
		return object.BadRequest("the export parameter, deprecated since v1.14, is no longer supported")
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

// wantsExport says whether a get asks for the object without what the server made of it, as
// was possible once.
func wantsExport(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, "export") && isTrue(r.URL.Query(), "export")
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
	if x.name == "" {
		return errNoName()
	}
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

func errNoName() error { return object.BadRequest("name must be provided") }

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
// the API's checks: form of the answer, type of the body (of an update's after its
// options), size, options, document.
func (x *exchange) readObject(optionsKind string) (object.Object, error) {
	if err := x.negotiate(); err != nil {
		return nil, err
	}
	media, errMedia := bodyType(x.r.Header.Get("Content-Type"))
	if errMedia != nil && optionsKind == "CreateOptions" {
		return nil, errMedia
	}
	data, err := readBody(x.r)
	if err != nil {
		return nil, err
	}
	if x.opts, err = parseWriteOptions(x.r.URL.Query(), optionsKind); err != nil {
		return nil, err
	}
	if errMedia != nil {
		return nil, errMedia
	}
	x.agent = apply.ManagerOf(x.r.UserAgent())
	return x.decodeBody(media, data)
}

func (x *exchange) servePatch() error {
	kind, err := x.patchType(x.r)
	if err != nil {
		return err
	}
	if x.name == "" {
		return errNoName()
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
	if err == nil {
		err = opts.Validate()
	}
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
	if _, err := peekType(mediaJSON, data); err != nil {
		return gc.DeleteOptions{}, object.BadRequest("%v", err)
	}
	o, err := object.Decode(data)
	if err != nil {
		return gc.DeleteOptions{}, object.BadRequest("%v", err)
	}
	return gc.ParseDeleteOptions(o)
}

func (x *exchange) serveDeleteCollection() error {
	which, err := x.readListOptions()
	if err == nil {
		_, err = x.selector(which)
	}
	if err == nil {
		err = x.form.checkList(x.served)
	}
	if err != nil {
		return err
	}
	opts, err := x.readDeleteOptions()
	if err == nil {
		err = opts.ValidateMany()
	}
	if err != nil {
		return err
	}
	x.agent = apply.ManagerOf(x.r.UserAgent())
	list, err := x.list(x.r.Context(), which)
	if err != nil {
		return err
	}
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
