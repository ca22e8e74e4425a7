package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// healthCheck is one of the things that make a server healthy.
type healthCheck struct {
	name string
	err  func() error
}

// healthChecks are those behind each of the health paths.
func (s *Server) healthChecks() map[string][]healthCheck {
	ping := healthCheck{"ping", func() error { return nil }}
	shutdown := healthCheck{"shutdown", func() error {
		if s.stopping.Err() != nil {
			return errors.New("process is shutting down")
		}
		return nil
	}}
	storage := healthCheck{"storage", s.config.Store.Err}
	return map[string][]healthCheck{"healthz": {ping, storage}, "livez": {ping, storage}, "readyz": {ping, storage, shutdown}}
}

// serveHealth answers /healthz, /livez and /readyz, and the paths of their single
// checks, by any method. The parameter exclude names checks to pass over, and
// verbose asks for the result of each.
func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request, root string) bool {
	checks := s.healthChecks()[root]
	h := w.Header()
	if name, ok := strings.CutPrefix(r.URL.Path, "/"+root+"/"); ok {
		i := slices.IndexFunc(checks, func(c healthCheck) bool { return c.name == name })
		if i < 0 {
			return false
		}
		if err := checks[i].err(); err != nil {
			http.Error(w, "internal server error: "+err.Error(), http.StatusInternalServerError)
			return true
		}
		h.Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok"))
		return true
	}
	report, healthy := runChecks(checks, r.URL.Query()["exclude"])
	if !healthy {
		http.Error(w, report+root+" check failed", http.StatusInternalServerError)
		return true
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.URL.Query().Has("verbose") {
		_, _ = fmt.Fprintf(w, "%s%s check passed\n", report, root)
	} else {
		_, _ = w.Write([]byte("ok"))
	}
	return true
}

// runChecks reports on each check in a line. What went wrong with one is told
// only on its own path, which not everybody may see.
func runChecks(checks []healthCheck, excluded []string) (report string, healthy bool) {
	var b bytes.Buffer
	healthy = true
	unknown := map[string]bool{}
	for _, name := range excluded {
		unknown[name] = true
	}
	for _, c := range checks {
		switch {
		case slices.Contains(excluded, c.name):
			delete(unknown, c.name)
			fmt.Fprintf(&b, "[+]%s excluded: ok\n", c.name)
		case c.err() != nil:
			healthy = false
			fmt.Fprintf(&b, "[-]%s failed: reason withheld\n", c.name)
		default:
			fmt.Fprintf(&b, "[+]%s ok\n", c.name)
		}
	}
	if len(unknown) > 0 {
		var names []string
		for name := range unknown {
			names = append(names, strconv.Quote(name))
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "warn: some health checks cannot be excluded: no matches for %s\n", strings.Join(names, ","))
	}
	return b.String(), healthy
}
