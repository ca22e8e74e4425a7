package server

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// verbs are what requests are counted by; those for other paths than a resource's count as none of them.
var verbs = [...]string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// metrics count what the server does. The zero value is ready for use.
type metrics struct {
	requests [len(verbs)]atomic.Int64
}

// count takes note of a request.
func (m *metrics) count(verb string) {
	for i, name := range verbs {
		if name == verb {
			m.requests[i].Add(1)
			return
		}
	}
}

// serveMetrics answers /metrics in the text format of Prometheus.
func (s *Server) serveMetrics(w http.ResponseWriter) bool {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprintln(w, "# HELP plinth_requests_total Requests on resources by their verb, refused ones included.")
	fmt.Fprintln(w, "# TYPE plinth_requests_total counter")
	for i, name := range verbs {
		fmt.Fprintf(w, "plinth_requests_total{verb=%q} %d\n", name, s.metrics.requests[i].Load())
	}
	fmt.Fprintln(w, "# HELP plinth_watches Watches under way.")
	fmt.Fprintln(w, "# TYPE plinth_watches gauge")
	fmt.Fprintf(w, "plinth_watches %d\n", s.streams.count())
	fmt.Fprintln(w, "# HELP plinth_resource_version The newest resource version of the store.")
	fmt.Fprintln(w, "# TYPE plinth_resource_version gauge")
	fmt.Fprintf(w, "plinth_resource_version %d\n", s.config.Store.Version())
	return true
}
