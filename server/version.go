package server

import (
	"net/http"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// serveVersion answers /version, with and without slashes at the end.
func (s *Server) serveVersion(w http.ResponseWriter, r *http.Request) bool {
	var err error
	switch {
	case strings.TrimRight(r.URL.Path, "/") != "/version":
		err = object.PathNotFound()
	case r.Method != http.MethodGet:
		err = object.MethodNotAllowed()
	case !acceptsAny(r, typeJSON):
		err = errNoRoute(typeJSON)
	}
	if err != nil {
		s.failWith(w, r, err, nil)
		return true
	}
	// The server emulates no older version, and is compatible with its own.
	writeRawJSON(w, struct {
		VersionInfo
		EmulationMajor        string `json:"emulationMajor"`
		EmulationMinor        string `json:"emulationMinor"`
		MinCompatibilityMajor string `json:"minCompatibilityMajor"`
		MinCompatibilityMinor string `json:"minCompatibilityMinor"`
	}{s.config.Version, s.config.Version.Major, s.config.Version.Minor, s.config.Version.Major, s.config.Version.Minor})
	return true
}
