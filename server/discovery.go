package server

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// discovery tells clients what there is. Its documents are made when they are
// first asked for and kept as long as the set of resources is the same. The zero value is ready for use.
type discovery struct {
	built   atomic.Pointer[discoveryDocuments]
	openAPI openAPI
}

// discoveryDocuments are those of one set of resources, in JSON.
type discoveryDocuments struct {
	set        *resourceSet
	plain      map[string][]byte             // by path
	aggregated map[string]aggregatedDocument // of /api and /apis
}

// aggregatedDocument is a whole tree in one document.
type aggregatedDocument struct {
	json []byte
	etag string // quoted
}

// aggregatedParameters are what an aggregated document adds to its media type.
const aggregatedParameters = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// documents gives those of a set. Two requests may make them at the same time.
func (d *discovery) documents(set *resourceSet) *discoveryDocuments {
	if built := d.built.Load(); built != nil && built.set == set {
		return built
	}
	built := &discoveryDocuments{
		set:   set,
		plain: plainDocuments(set),
		aggregated: map[string]aggregatedDocument{
			"/api":  newAggregatedDocument(set.coreGroups()),
			"/apis": newAggregatedDocument(set.namedGroups()),
		},
	}
	d.built.Store(built)
	return built
}

// serveDiscovery answers /api, /apis and the paths of groups and versions. /apis, those of
// groups and of the versions of custom resources are answered whatever the method; others
// know only GET.
func (s *Server) serveDiscovery(w http.ResponseWriter, r *http.Request) bool {
	set := s.resources.Load()
	documents := s.discovery.documents(set)
	path := strings.TrimRight(r.URL.Path, "/")
	if path == "/apis" && strings.HasSuffix(r.URL.Path, "//") {
		return false
	}
	name, named := strings.CutPrefix(path, "/apis/")
	name, _, below := strings.Cut(name, "/")
	group, known := set.group(name)
	custom := known && group.custom
	free := path == "/apis" || named && (!below || custom)
	body, ok := documents.plain[path]
	switch {
	case !ok && named && (name == "" || !known || custom):
		return false
	case !ok:
		s.failWith(w, r, object.PathNotFound(), nil)
		return true
	case r.Method != http.MethodGet && !free:
		s.failWith(w, r, object.MethodNotAllowed(), nil)
		return true
	}
	if !free && !acceptsAny(r, mediaTypes[:]...) {
		s.failWith(w, r, errNoRoute(mediaTypes[:]...), nil)
		return true
	}
	if doc, ok := documents.aggregated[r.URL.Path]; ok {
		if f, err := s.negotiator.form(r, offerAggregated); err == nil {
			serveAggregated(w, r, f, doc)
			return true
		}
	}
	f, err := s.negotiator.form(r, offerPlain)
	if err != nil {
		s.failWith(w, r, err, nil)
		return true
	}
	if path == "/api" {
		body = apiVersions(set, r.Host)
	}
	w.Header().Set("Content-Type", f.media.String())
	_, _ = w.Write(f.finish(slices.Clip(body)))
	return true
}

// acceptsAny is the first look at the Accept header, by full names.
func acceptsAny(r *http.Request, types ...string) bool {
	accept := r.Header.Get("Accept")
	return accept == "" || acceptsLiterally(accept, types...)
}

func serveAggregated(w http.ResponseWriter, r *http.Request, f form, doc aggregatedDocument) {
	h := w.Header()
	h.Set("ETag", doc.etag)
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", "public")
	if r.Header.Get("If-None-Match") == doc.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.media.String()+aggregatedParameters)
	_, _ = w.Write(f.finish(slices.Clip(doc.json)))
}

// coreGroups and namedGroups are the groups below /api and /apis.
func (s *resourceSet) coreGroups() []*groupSet {
	if g, ok := s.group(""); ok {
		return []*groupSet{g}
	}
	return nil
}

func (s *resourceSet) namedGroups() []*groupSet {
	var named []*groupSet
	for _, g := range s.groups {
		if g.name != "" {
			named = append(named, g)
		}
	}
	return named
}

// versions are those of all groups.
func (s *resourceSet) versions() []*versionSet {
	var all []*versionSet
	for _, g := range s.groups {
		all = append(all, g.versions...)
	}
	return all
}

// path is where the version is served.
func (v *versionSet) path() string { return groupVersionPath(v.GroupVersion) }

func groupVersionPath(gv object.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}
