package server

import (
	"net/http"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// requestInfo is what the method and the path of a request ask for.
type requestInfo struct {
	path string
	verb string // as in [Attributes]

	resource    bool // below are the parts of a resource request; else only path and verb count
	gvr         object.GroupVersionResource
	namespace   string
	namespaced  bool // the path names a namespace (perhaps the empty one)
	name        string
	subresource string
	beyond      bool // the path goes on behind a subresource
	watchPath   bool // the deprecated /watch/ in front of the resource
}

// parseRequestInfo reads the path by the API's conventions:
//
//	/api/VERSION/[watch/][namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]
//	/apis/GROUP/VERSION/[watch/][namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]
//
// Every other path is not a resource request.
func parseRequestInfo(r *http.Request) requestInfo {
	info := requestInfo{path: r.URL.Path, verb: strings.ToLower(r.Method)}
	var room [8]string
	parts := splitPath(room[:0], r.URL.Path)
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		info.gvr.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis" && parts[1] != "":
		info.gvr.Group, info.gvr.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return info
	}
	info.resource = true
	info.parseResource(parts)
	info.verb = info.resourceVerb(r)
	return info
}

func (info *requestInfo) parseResource(parts []string) {
	if parts[0] == "watch" && len(parts) > 1 {
		info.watchPath = true
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 1 {
		info.namespace = parts[1]
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			info.namespaced = true
			parts = parts[2:]
		}
	}
	info.gvr.Resource = parts[0]
	if len(parts) > 1 {
		info.name = parts[1]
	}
	if len(parts) > 2 {
		info.subresource = parts[2]
	}
	info.beyond = len(parts) > 3 || len(parts) > 1 && info.name == ""
}

func (info *requestInfo) resourceVerb(r *http.Request) string {
	switch r.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if info.name == "" {
			return "deletecollection"
		}
		return "delete"
	case http.MethodGet, http.MethodHead:
		return info.readVerb(r)
	}
	return ""
}

func (info *requestInfo) readVerb(r *http.Request) string {
	switch {
	case info.watchPath:
		return "watch"
	case info.name != "":
		return "get"
	case strings.Contains(r.URL.RawQuery, "watch") && isTrue(r.URL.Query(), "watch"):
		return "watch"
	}
	return "list"
}

// splitPath cuts a path at its slashes, without those at the ends.
func splitPath(parts []string, path string) []string {
	path = strings.TrimRight(strings.TrimPrefix(path, "/"), "/")
	for {
		part, rest, found := strings.Cut(path, "/")
		parts = append(parts, part)
		if !found {
			return parts
		}
		path = rest
	}
}
