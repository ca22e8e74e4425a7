package server

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// serveDocument answers requests for what describes the server: discovery,
// schemas, health, metrics, version and the list of all these. handled is false if the path is none of them.
func (s *Server) serveDocument(w http.ResponseWriter, r *http.Request) (handled bool) {
	path := r.URL.Path
	root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch root {
	case "api", "apis":
		return s.serveDiscovery(w, r)
	case "openapi":
		return s.serveOpenAPI(w, r)
	case "healthz", "livez", "readyz":
		return s.serveHealth(w, r, root)
	case "version":
		return s.serveVersion(w, r)
	case "metrics":
		return path == "/metrics" && s.serveMetrics(w)
	case "", "index.html":
		if path != "/" && path != "/index.html" {
			return false
		}
		writeRawJSON(w, map[string][]string{"paths": s.paths()})
		return true
	}
	return false
}

// paths are those that this server answers, besides its resources.
func (s *Server) paths() []string {
	set := s.resources.Load()
	all := map[string]bool{"/openapi/v2": true, "/openapi/v3": true, "/metrics": true, "/version": true}
	for path := range s.discovery.documents(set).plain {
		all[path] = true
	}
	for _, v := range set.versions() {
		all["/openapi/v3/"+openAPIPath(v)] = true
	}
	for root, checks := range s.healthChecks() {
		all["/"+root] = true
		for _, check := range checks {
			all["/"+root+"/"+check.name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// writeRawJSON answers with indented JSON, whatever the client accepts.
func writeRawJSON(w http.ResponseWriter, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // the values are our own
	}
	w.Header().Set("Content-Type", typeJSON)
	_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) // a client that is gone needs no answer
}
