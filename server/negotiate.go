package server

import (
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// mediaType is an encoding of documents.
type mediaType uint8

const (
	mediaJSON mediaType = iota
	mediaYAML
	mediaProtobuf
)

const (
	typeJSON     = "application/json"
	typeYAML     = "application/yaml"
	typeProtobuf = "application/vnd.kubernetes.protobuf"
)

var mediaTypes = [...]string{mediaJSON: typeJSON, mediaYAML: typeYAML, mediaProtobuf: typeProtobuf}

// String gives the Content-Type of an answer that is one document.
func (m mediaType) String() string { return mediaTypes[m] }

// watchType gives the Content-Type of a watch: that of its frames, where JSON
// stays what it is.
func (m mediaType) watchType() string {
	if m == mediaJSON {
		return typeJSON
	}
	return mediaTypes[m] + ";stream=watch"
}

// streams says whether there are watches in this encoding.
func (m mediaType) streams() bool { return m != mediaYAML }

// transform is what a client wants to see of objects in place of themselves.
type transform uint8

const (
	asIs transform = iota
	asTable
	asPartial     // PartialObjectMetadata
	asPartialList // PartialObjectMetadataList
)

// form is how an answer looks. It is comparable and small, so that it can key
// encodings that several requests share.
type form struct {
	media    mediaType
	as       transform
	beta     bool          // the transform is of meta.k8s.io/v1beta1
	pretty   bool          // JSON for human eyes
	include  includeObject // what a Table shows of its objects
	headless bool          // a Table without column definitions: every frame of a watch but the first
}

// apiVersion is that of the document that the transform makes.
func (f form) apiVersion() string {
	if f.beta {
		return "meta.k8s.io/v1beta1"
	}
	return "meta.k8s.io/v1"
}

// offer is what an endpoint has to answer with.
type offer uint8

const (
	// offerProtobuf: the kind has a protobuf form. Its Accept header is then
	// checked twice, first literally, as a route does, and then in its finer points.
	offerProtobuf offer = 1 << iota
	// offerWatch: the endpoint also answers watches (lists).
	offerWatch
	// offerPlain: no transforms (discovery, errors).
	offerPlain
	// offerLenient: refuse nothing for the encoding; what answers failures.
	offerLenient
	// offerAggregated: aggregated discovery and nothing else.
	offerAggregated
)

// negotiator reads Accept headers and remembers the outcome for those that come
// again. The zero value is ready for use.
type negotiator struct {
	mu   sync.Mutex // held by writers of seen
	seen atomic.Pointer[map[seenKey]form]
}

type seenKey struct {
	accept string
	offer  offer
}

// The clients of one server send few different headers; what comes beyond these bounds is not remembered.
const (
	maxSeen       = 256
	maxSeenHeader = 256
)

// form chooses how to answer a request, or says with 406 what could be had.
// Whether a watch is possible in the form is the business of [form.checkWatch],
// and whether the transform fits the answer that of [form.checkSingle] and [form.checkList].
func (n *negotiator) form(r *http.Request, o offer) (form, error) {
	f, err := n.accept(r.Header.Get("Accept"), o)
	if err != nil {
		return form{}, err
	}
	if f.media != mediaJSON {
		f.pretty = false
	} else if !f.pretty {
		f.pretty = wantsPretty(r)
	}
	return f, nil
}

// statusForm chooses how to answer a request with a Status. There is always an
// answer: JSON, if what the client accepts cannot be had.
func (n *negotiator) statusForm(r *http.Request) form {
	f, err := n.form(r, offerPlain|offerLenient)
	if err != nil {
		return form{pretty: true}
	}
	return f
}

func (n *negotiator) accept(header string, o offer) (form, error) {
	if o&offerAggregated == 0 && isPlainJSON(header) {
		return form{}, nil
	}
	if seen := n.seen.Load(); seen != nil {
		if f, ok := (*seen)[seenKey{header, o}]; ok {
			return f, nil
		}
	}
	if o&offerProtobuf != 0 && !acceptsLiterally(header, mediaTypes[:]...) {
		types := mediaTypes[:]
		if o&offerWatch != 0 {
			types = append(slices.Clip(types), typeJSON+";stream=watch", typeProtobuf+";stream=watch")
		}
		return form{}, errNoRoute(types...)
	}
	f, ok := choose(header, o)
	if !ok {
		return form{}, object.NotAcceptable(typeJSON, typeYAML, typeProtobuf)
	}
	n.remember(header, o, f)
	return f, nil
}

// isPlainJSON knows the headers of most requests at sight.
func isPlainJSON(header string) bool {
	switch header {
	case "", typeJSON, "*/*", "application/json, */*":
		return true
	}
	return false
}

func (n *negotiator) remember(header string, o offer, f form) {
	if len(header) > maxSeenHeader {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	old := n.seen.Load()
	if old == nil {
		n.seen.Store(&map[seenKey]form{{header, o}: f})
		return
	}
	if len(*old) >= maxSeen {
		return
	}
	next := maps.Clone(*old)
	next[seenKey{strings.Clone(header), o}] = f
	n.seen.Store(&next)
}

// wantsPretty says whether JSON is for human eyes: the parameter pretty says so,
// or, without it, a client that shows answers as they are.
func wantsPretty(r *http.Request) bool {
	if strings.Contains(r.URL.RawQuery, "pretty") {
		if value := r.URL.Query().Get("pretty"); value != "" {
			pretty, _ := strconv.ParseBool(value)
			return pretty
		}
	}
	agent := r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// checkWatch refuses encodings in which there are no watches.
func (f form) checkWatch() error {
	if f.media.streams() {
		return nil
	}
	return object.NotAcceptable(typeJSON+";stream=watch", typeProtobuf+";stream=watch")
}

// checkSingle refuses the transform that only lists have, for an answer that is one object.
func (f form) checkSingle(s *served) error {
	if f.as != asPartialList {
		return nil
	}
	return errTransform("you requested PartialObjectMetadataList, but the requested object is not a list (" + s.typeName + ")")
}

// checkList refuses the transform that only single objects have, for a list.
func (f form) checkList(s *served) error {
	if f.as != asPartial {
		return nil
	}
	return errTransform("you requested PartialObjectMetadata, but the requested object is a list (" + s.typeName + "List)")
}

// bodyType reads the Content-Type of a document; none means JSON.
func bodyType(contentType string) (mediaType, error) {
	switch contentType {
	case "", typeJSON:
		return mediaJSON, nil
	case typeProtobuf:
		return mediaProtobuf, nil
	}
	if name, _, err := mime.ParseMediaType(contentType); err == nil {
		for i, known := range mediaTypes {
			if name == known {
				return mediaType(i), nil
			}
		}
	}
	return 0, object.UnsupportedMediaType(typeJSON, typeYAML, typeProtobuf)
}

// errNoRouteForBody (415) refuses the type of a body before anything else is looked at.
func errNoRouteForBody() error {
	return object.NewStatusError(object.ErrUnsupportedMediaType, &object.StatusDetails{}, "415: Unsupported Media Type")
}

// errNoRoute (406) refuses an Accept header before anything else is looked at.
func errNoRoute(types ...string) error {
	return object.NewStatusError(object.ErrNotAcceptable, &object.StatusDetails{},
		"406: Not Acceptable\n\nAvailable representations: %s", strings.Join(types, ", "))
}

func errTransform(message string) error {
	return object.NewStatusError(object.ErrNotAcceptable, nil, "%s", message)
}
