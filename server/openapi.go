package server

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// openAPI serves the schemas of what a server serves. They are made when they are
// first asked for and kept as long as the set of resources is the same. The zero
// value is ready for use.
type openAPI struct {
	built atomic.Pointer[openAPIDocuments]
}

// openAPIDocuments are those of one set of resources.
type openAPIDocuments struct {
	set      *resourceSet
	made     time.Time
	index    openAPIDocument
	versions map[string]openAPIDocument // by path below /openapi/v3
	old      openAPIDocument            // /openapi/v2
}

type openAPIDocument struct {
	json []byte
	hash string // of json, in upper-case hexadecimal digits
}

func newOpenAPIDocument(v map[string]any) openAPIDocument {
	data := object.AppendJSON(nil, v)
	return openAPIDocument{json: data, hash: fmt.Sprintf("%X", sha512.Sum512(data))}
}

func (o *openAPI) documents(set *resourceSet, version VersionInfo) *openAPIDocuments {
	if built := o.built.Load(); built != nil && built.set == set {
		return built
	}
	built := &openAPIDocuments{set: set, made: time.Now(), versions: map[string]openAPIDocument{}}
	paths := map[string]any{}
	for _, v := range set.versions() {
		path := openAPIPath(v)
		doc := newOpenAPIDocument(v.openAPI(version))
		built.versions[path] = doc
		paths[path] = map[string]any{"serverRelativeURL": hashedURL(path, doc.hash)}
	}
	built.index = newOpenAPIDocument(map[string]any{"paths": paths})
	built.old = newOpenAPIDocument(set.swagger(version))
	o.built.Store(built)
	return built
}

// openAPIPath is where the document of a version is, below /openapi/v3.
func openAPIPath(v *versionSet) string { return v.path()[1:] }

func hashedURL(path, hash string) string {
	u := url.URL{Path: "/openapi/v3/" + path, RawQuery: url.Values{"hash": {hash}}.Encode()}
	return u.String()
}

// serveOpenAPI answers /openapi/v2, /openapi/v3 and the documents below it.
func (s *Server) serveOpenAPI(w http.ResponseWriter, r *http.Request) bool {
	docs := s.discovery.openAPI.documents(s.resources.Load(), s.Version)
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case path == "/openapi/v3":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8") // as the API has it
		docs.index.serve(w, r, docs.made)
		return true
	case path == "/openapi/v2":
		docs.serveSchemas(w, r, docs.old)
		return true
	}
	path, ok := strings.CutPrefix(path, "/openapi/v3/")
	if !ok {
		return false
	}
	doc, ok := docs.versions[path]
	if !ok {
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
	docs.serveSchemas(w, r, doc)
	return true
}

// serveSchemas sends a document of schemas in JSON, the only form there is: a
// client that wants nothing else gets 406 and does without.
func (d *openAPIDocuments) serveSchemas(w http.ResponseWriter, r *http.Request, doc openAPIDocument) {
	h := w.Header()
	h.Set("Vary", "Accept")
	if accept := r.Header.Get("Accept"); accept != "" && !acceptsJSON(accept) {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	h.Set("Content-Type", typeJSON)
	doc.serve(w, r, d.made)
}

func acceptsJSON(accept string) bool {
	for _, c := range parseAccept(accept) {
		if c.matches(mediaJSON) {
			return true
		}
	}
	return false
}

func (doc openAPIDocument) serve(w http.ResponseWriter, r *http.Request, made time.Time) {
	w.Header().Set("ETag", strconv.Quote(doc.hash))
	http.ServeContent(w, r, "", made, bytes.NewReader(doc.json))
}
