package server

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// maxBody is the most that a request may carry, in bytes, as on the real server.
const maxBody = 3 << 20

// readBody reads the whole body or says with 413 that it is too large.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooLarge(maxBody)
	}
	buf := make([]byte, 0, max(r.ContentLength, 512))
	body := io.LimitReader(r.Body, maxBody+1)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > maxBody {
			return nil, errTooLarge(maxBody)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, object.BadRequest("reading the body: %v", err)
		}
	}
}

func errTooLarge(limit int) error {
	return object.RequestTooLarge("limit is %d", limit)
}

// decodeBody reads the document of a request, in the version of the request. What
// a strict reader refuses is an error or a warning, as the client wishes.
func (c *call) decodeBody(media mediaType, data []byte) (object.Object, error) {
	o, found, err := c.decodeDocument(media, data)
	if kindErr := c.checkKind(o, err, media, data); kindErr != nil {
		return nil, kindErr
	}
	if err != nil {
		return nil, c.errDecode(c.face.gvk, err)
	}
	o.SetType(c.face.typeMeta)
	c.traceDecoded(media, data, o)
	if err := c.report(found); err != nil {
		return nil, c.trace.Refuse("decode", c.errDecode(c.face.gvk, err))
	}
	return o, nil
}

// traceDecoded says what reading made of a document: what it left out and what it set.
func (c *call) traceDecoded(media mediaType, data []byte, o object.Object) {
	if c.trace == nil || media == mediaProtobuf { // which holds nothing but what is known
		return
	}
	if media == mediaYAML {
		data, _ = yaml.ToJSON(data)
	}
	if sent, err := object.Decode(data); err == nil {
		sent.SetType(c.face.typeMeta)
		c.trace.Compare("decode", sent, o)
	}
}

// findings are what a strict reader refuses: in the YAML, by line, and in the
// document, by field.
type findings struct {
	lines  yaml.Duplicates
	fields []string
}

func (c *call) decodeDocument(media mediaType, data []byte) (o object.Object, found findings, err error) {
	switch media {
	case mediaProtobuf:
		o, err = c.decodeProtobuf(data)
		return o, found, err
	case mediaYAML:
		if data, found.lines, err = yaml.ToJSONStrict(data); err != nil {
			return nil, found, err
		}
	}
	o, found.fields, err = c.decodeJSON(data)
	return o, found, err
}

func (c *call) decodeJSON(data []byte) (o object.Object, strict []string, err error) {
	if codec := c.face.version.Codec; codec != nil {
		if o, strict, err = codec.DecodeJSON(data); err == nil {
			c.face.setDefaults(o)
			keepReset(o, data)
		}
		return o, strict, err
	}
	o, duplicates, err := object.DecodeStrict(data)
	if err != nil {
		return nil, nil, err
	}
	unknown, err := c.face.normalize(o)
	return o, append(quotedFields("duplicate", duplicates), unknownFields(unknown)...), err
}

// quotedFields says what a strict reader does of fields that are duplicate, or that a
// Go type does not know.
func quotedFields(what string, paths []string) []string {
	texts := make([]string, len(paths))
	for i, path := range paths {
		texts[i] = fmt.Sprintf("%s field %q", what, path)
	}
	return texts
}

// unknownFields says what a strict reader does of fields that a schema does not know.
// The API quotes these paths without escapes.
func unknownFields(paths []string) []string {
	texts := make([]string, len(paths))
	for i, path := range paths {
		texts[i] = `unknown field "` + path + `"`
	}
	return texts
}

// normalize gives free JSON the form that the version wants of it. A document of
// another kind is left alone.
func (s *served) normalize(o object.Object) (unknown []string, err error) {
	if s.version.Documents == nil || o.Kind() != "" && o.Kind() != s.Kind {
		return object.NormalizeMeta(o)
	}
	return s.version.Documents.Decode(o)
}

func (c *call) decodeProtobuf(data []byte) (object.Object, error) {
	if c.face.offer&offerProtobuf == 0 {
		return nil, object.UnsupportedMediaType(typeJSON, typeYAML)
	}
	t, raw, err := decodeEnvelope(data)
	if err != nil {
		return nil, err
	}
	want := c.face.typeMeta
	if cmp.Or(t.Kind, want.Kind) != want.Kind || cmp.Or(t.APIVersion, want.APIVersion) != want.APIVersion {
		o := object.Object{}
		o.SetType(t)
		return o, nil // of another kind: its message means nothing here
	}
	o, err := c.face.version.Codec.DecodeProtobuf(raw)
	if err != nil {
		return nil, err
	}
	o.SetType(want)
	c.face.setDefaults(o)
	return o, nil
}

// setDefaults sets what a document that has a type leaves out.
func (s *served) setDefaults(o object.Object) {
	if s.version.Default != nil {
		s.version.Default(o)
	}
}

var ownersPattern = regexp.MustCompile(`"managedFields"\s*:\s*\[\s*\]`)

// keepReset puts back the empty list of owners that a client wrote: types drop it, but
// it forgets all owners. Of documents that are free of types it forgets none.
func keepReset(o object.Object, data []byte) {
	if !bytes.Contains(data, []byte(`"managedFields"`)) || !ownersPattern.Match(data) {
		return
	}
	sent, err := object.Decode(data)
	if err != nil {
		return
	}
	if list, ok := sent.Metadata()["managedFields"].([]any); ok && len(list) == 0 {
		o.EnsureMetadata()["managedFields"] = list
	}
}

// checkKind refuses a document that is no document at all or one of another kind.
// o is what decoding gave, unless it failed with err.
func (c *call) checkKind(o object.Object, err error, media mediaType, data []byte) error {
	var status *object.StatusError
	if errors.As(err, &status) {
		return status
	}
	t := object.TypeMeta{Kind: o.Kind(), APIVersion: o.APIVersion()}
	if err != nil || !hasTextType(o) {
		var errType error
		if t, errType = peekType(media, data); errType != nil {
			return c.errUnrecognized(errType, data)
		}
	}
	gv, errVersion := object.ParseGroupVersion(t.APIVersion)
	if errVersion != nil {
		return c.errUnrecognized(errVersion, data)
	}
	if t.APIVersion == "" {
		gv = c.face.gvk.GroupVersion()
	}
	gvk := object.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: t.Kind}
	if c.face.version.Documents != nil {
		return c.checkDefinedKind(o, err, gvk, t, data)
	}
	gvk.Kind = cmp.Or(gvk.Kind, c.face.gvk.Kind)
	switch {
	case gvk == c.face.gvk:
		return nil
	case c.view() != nil && c.version.Documents != nil:
		return object.BadRequest("no kind is registered for the type %s.%s in scheme %q", c.face.gvk.Version, c.face.gvk.Kind, schemeName)
	case slices.Contains(c.FormerVersions, gv.Version) && gvk.GroupKind() == c.face.gvk.GroupKind():
		return c.errOtherVersion(t)
	}
	return c.errDecode(gvk, c.errOtherKind(gvk))
}

// checkDefinedKind is checkKind for documents that are free of Go types: they must
// say what they are, and any kind but the right one is a value like others.
func (c *call) checkDefinedKind(o object.Object, err error, gvk object.GroupVersionKind, t object.TypeMeta, data []byte) error {
	switch {
	case t.Kind == "":
		return c.errUnrecognized(errNoKind(data), data)
	case err != nil:
		return c.errDecode(gvk, err)
	case t.APIVersion == "":
		return c.errOtherVersion(t)
	case gvk.GroupVersion() != c.gvk.GroupVersion():
		t.APIVersion = gvk.GroupVersion().String()
		return c.errOtherVersion(t)
	}
	return c.errDefinedType(t, o.Name())
}

// hasTextType says whether what a document says of its type is text, as far as it says any.
func hasTextType(o object.Object) bool {
	for _, name := range [...]string{"apiVersion", "kind"} {
		if _, ok := o[name].(string); !ok && o[name] != nil {
			return false
		}
	}
	return true
}

func errNoKind(data []byte) error {
	//lint:ignore ST1005 the API's words
	return fmt.Errorf("Object 'Kind' is missing in '%s'", data)
}

// errDefinedType says what is wrong with the type of a document that is free of Go types.
func (c *call) errDefinedType(t object.TypeMeta, name string) error {
	var errs object.FieldErrors
	gv, _ := object.ParseGroupVersion(t.APIVersion)
	if t.Kind != c.gvk.Kind {
		errs = append(errs, object.InvalidField("kind", t.Kind, "must be "+c.gvk.Kind))
	}
	if want := c.typeMeta.APIVersion; t.APIVersion != want {
		errs = append(errs, object.InvalidField("apiVersion", gv.String(), "must be "+want))
	}
	if len(errs) == 0 {
		return nil
	}
	return object.Invalid(object.GroupKind{Group: gv.Group, Kind: t.Kind}, name, errs)
}

func (c *call) errOtherVersion(t object.TypeMeta) error {
	return object.BadRequest("the API version in the data (%s) does not match the expected API version (%s)",
		t.APIVersion, c.face.gvk.GroupVersion())
}

// errOtherKind says why a document of one kind is none of the kind of the call.
func (c *call) errOtherKind(gvk object.GroupVersionKind) error {
	if !c.set.hasGoKind(gvk) {
		return fmt.Errorf("no kind %q is registered for version %q in scheme %q", gvk.Kind, gvk.GroupVersion(), schemeName)
	}
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion",
		gvk.Version, gvk.Kind, internalPackage(c.face.gvk.Group), c.face.gvk.Kind)
}

// schemeName is how the real server's message names its table of kinds.
const schemeName = "pkg/runtime/scheme.go:111"

// internalPackage is how messages name the home of a group's kinds: its first part.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	first, _, _ := strings.Cut(group, ".")
	return first
}

// peekType reads the type alone of a document that could not be decoded, or says why it
// is none.
func peekType(media mediaType, data []byte) (object.TypeMeta, error) {
	switch media {
	case mediaProtobuf:
		t, _, err := decodeEnvelope(data)
		return t, err
	case mediaYAML:
		var err error
		if data, err = yaml.ToJSON(data); err != nil {
			return object.TypeMeta{}, err
		}
	}
	var t struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return object.TypeMeta{}, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	return object.TypeMeta{Kind: t.Kind, APIVersion: t.APIVersion}, nil
}

// report turns findings into an error or into warnings, as the client wishes.
func (c *call) report(found findings) error {
	if c.opts.FieldValidation == fieldsIgnore {
		return nil
	}
	if c.opts.FieldValidation == fieldsStrict {
		return found.error()
	}
	for _, text := range slices.Concat([]string(found.lines), found.fields) {
		c.warn(text)
	}
	return nil
}

// error words the findings as one failure, those in the YAML as its parser does.
func (f findings) error() error {
	texts := f.fields
	if len(f.lines) > 0 {
		texts = slices.Insert(slices.Clone(texts), 0, f.lines.Error())
	}
	if len(texts) == 0 {
		return nil
	}
	return fmt.Errorf("strict decoding error: %s", strings.Join(texts, ", "))
}

// errDecode says that a document of the given kind is none of the kind wanted.
func (c *call) errDecode(gvk object.GroupVersionKind, err error) error {
	return object.BadRequest("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, c.face.gvk.Kind, err)
}

// errUnrecognized says that the body is no document; it shows how the body begins.
func (c *call) errUnrecognized(err error, data []byte) error {
	return object.BadRequest("the object provided is unrecognized (must be of type %s): %v (%s)", c.face.gvk.Kind, err, summary(data))
}

func summary(data []byte) string {
	const most = 30
	if len(data) == 0 {
		return "<empty>"
	}
	end := ""
	if len(data) > most {
		data, end = data[:most], " ..."
	}
	if data[0] == '{' {
		return string(data) + end
	}
	return hex.EncodeToString(data) + end
}
