package server

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// openAPI serves the schemas of what a server serves. Each version of a group is a
// part, which is made anew when one of its resources changes, and when it is asked
// for. The zero value is ready for use.
type openAPI struct {
	mu      sync.Mutex // held while parts are chosen or made
	set     *resourceSet
	parts   map[string]*openAPIPart // by path below /openapi/v3
	index   *openAPIDocument        // of the set
	swagger lazyDocument            // /openapi/v2 of the set
	message lazyDocument            // the same in protobuf
}

// openAPIPart is what one version of a group adds to the documents.
type openAPIPart struct {
	*versionSet
	resources []*Resource // what it was made of
	document  lazyDocument
	swagger   weak.Pointer[swaggerPart]
}

// openAPIDocument is a document and its hash, in upper-case hexadecimal digits.
type openAPIDocument struct {
	data []byte
	hash string
	made time.Time
}

func newOpenAPIDocument(data []byte) *openAPIDocument {
	return &openAPIDocument{data, fmt.Sprintf("%X", sha512.Sum512(data)), time.Now()}
}

// lazyDocument is a document that is made when it is needed, and kept as long as
// memory is not needed for something else. Its hash and time stay. Documents of large
// kinds have megabytes, and most are read once.
type lazyDocument struct {
	hash string // empty until it was made
	made time.Time
	kept weak.Pointer[openAPIDocument]
}

func (l *lazyDocument) get(build func() []byte) *openAPIDocument {
	if doc := l.kept.Value(); doc != nil {
		return doc
	}
	doc := &openAPIDocument{data: build(), hash: l.hash, made: l.made}
	if l.hash == "" {
		doc = newOpenAPIDocument(doc.data)
		l.hash, l.made = doc.hash, doc.made
	}
	l.kept = weak.Make(doc)
	return doc
}

// follow chooses the parts of a set: those that are as they were stay.
func (o *openAPI) follow(set *resourceSet) {
	if o.set == set {
		return
	}
	parts := map[string]*openAPIPart{}
	for _, v := range set.versions() {
		path := openAPIPath(v)
		resources := make([]*Resource, len(v.resources))
		for i, s := range v.resources {
			resources[i] = s.Resource
		}
		part, ok := o.parts[path]
		if !ok || !slices.Equal(part.resources, resources) {
			part = &openAPIPart{versionSet: v, resources: resources}
		}
		parts[path] = part
	}
	o.set, o.parts, o.index = set, parts, nil
	o.swagger, o.message = lazyDocument{}, lazyDocument{}
}

// openAPIIndex lists the documents with their hashes.
func (s *Server) openAPIIndex() *openAPIDocument {
	o := &s.discovery.openAPI
	o.mu.Lock()
	defer o.mu.Unlock()
	o.follow(s.resources.Load())
	if o.index != nil {
		return o.index
	}
	paths := map[string]any{}
	for path, part := range o.parts {
		if part.document.hash == "" {
			part.get(s.config.Version)
		}
		paths[path] = map[string]any{"serverRelativeURL": hashedURL(path, part.document.hash)}
	}
	o.index = newOpenAPIDocument(object.AppendJSON(nil, map[string]any{"paths": paths}))
	return o.index
}

// openAPIOf gives the document at a path below /openapi/v3; nil if there is none.
func (s *Server) openAPIOf(path string) *openAPIDocument {
	o := &s.discovery.openAPI
	o.mu.Lock()
	defer o.mu.Unlock()
	o.follow(s.resources.Load())
	part, ok := o.parts[path]
	if !ok {
		return nil
	}
	return part.get(s.config.Version)
}

func (p *openAPIPart) get(version VersionInfo) *openAPIDocument {
	return p.document.get(func() []byte { return p.appendOpenAPI(nil, version) })
}

// swagger is the document of /openapi/v2, all parts in one, as one of its types.
func (s *Server) swagger(contentType string) *openAPIDocument {
	o := &s.discovery.openAPI
	o.mu.Lock()
	defer o.mu.Unlock()
	o.follow(s.resources.Load())
	if contentType == typeSwagger {
		return o.message.get(func() []byte { return o.appendSwaggerMessage(nil, s.config.Version) })
	}
	return o.swagger.get(func() []byte { return o.appendSwagger(nil, s.config.Version) })
}

// openAPIPath is where the document of a version is, below /openapi/v3.
func openAPIPath(v *versionSet) string { return v.path()[1:] }

func hashedURL(path, hash string) string {
	u := url.URL{Path: "/openapi/v3/" + path, RawQuery: url.Values{"hash": {hash}}.Encode()}
	return u.String()
}

// serveOpenAPI answers /openapi/v2, /openapi/v3 and the documents below it.
func (s *Server) serveOpenAPI(w http.ResponseWriter, r *http.Request) bool {
	path := r.URL.Path
	switch path {
	case "/openapi/v3":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8") // as the API has it
		s.openAPIIndex().serve(w, r)
		return true
	case "/openapi/v2":
		if t, ok := acceptSchemas(w, r, typeJSON, typeOldSwagger, typeSwagger); ok {
			s.swagger(t).serve(w, r)
		}
		return true
	}
	path, ok := strings.CutPrefix(path, "/openapi/v3/")
	if !ok {
		return false
	}
	doc := s.openAPIOf(path)
	if doc == nil {
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	if hash := r.URL.Query().Get("hash"); hash != "" {
		if hash != doc.hash {
			http.Redirect(w, r, hashedURL(path, doc.hash), http.StatusMovedPermanently)
			return true
		}
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	if _, ok := acceptSchemas(w, r, typeJSON); ok {
		doc.serve(w, r)
	}
	return true
}

// The document of /openapi/v2 in protobuf, by the name that it has and by the one, no
// media type, that clients ask for.
const (
	typeSwagger    = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	typeOldSwagger = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// acceptSchemas chooses a type for a document of schemas, of those that there are, the
// preferred one first. A client that wants none of them gets 406 and does without.
func acceptSchemas(w http.ResponseWriter, r *http.Request, types ...string) (chosen string, ok bool) {
	h := w.Header()
	h.Set("Vary", "Accept")
	chosen = types[0]
	if accept := r.Header.Get("Accept"); accept != "" {
		if chosen, ok = firstAccepted(accept, types); !ok {
			w.WriteHeader(http.StatusNotAcceptable)
			return "", false
		}
	}
	if chosen == typeOldSwagger {
		chosen = typeSwagger
	}
	h.Set("Content-Type", chosen)
	return chosen, true
}

func firstAccepted(accept string, types []string) (string, bool) {
	for _, c := range parseAccept(accept) {
		if i := slices.IndexFunc(types, c.matchesName); i >= 0 {
			return types[i], true
		}
	}
	return "", false
}

// serve answers with the document, or says that the client has it.
func (doc *openAPIDocument) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", strconv.Quote(doc.hash))
	whole := r.Method != http.MethodHead && r.Header.Get("Range") == ""
	if whole && compressible(r, len(doc.data)) {
		z := &compressedAnswer{ResponseWriter: w}
		defer z.close()
		w = z
	}
	http.ServeContent(w, r, "", doc.made, bytes.NewReader(doc.data))
}
