package apitest

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// faults are those that are in force. The zero value is ready for use.
type faults struct {
	mu  sync.Mutex
	all []*Injected
}

// Injected is a [Fault] that is in force, or was.
type Injected struct {
	Fault
	faults *faults
	stale  *Server       // what is read from; nil but for stale reads
	over   chan struct{} // closed when it is taken back

	// Under the lock of the faults.
	seen, hits int
	removed    bool
}

// Inject puts a fault in force, until it has happened as often as it says, is removed, or the
// server ends. Faults come in the order in which they were injected: a request may meet several,
// up to the first that answers it. One that makes no sense fails the test.
func (s *Server) Inject(fault Fault) *Injected {
	s.t.Helper()
	in := &Injected{Fault: fault, faults: &s.faults, over: make(chan struct{})}
	if err := fault.check(); err != nil {
		s.t.Errorf("injecting a fault: %v", err)
		return in
	}
	if fault.Stale {
		past, err := start(s.t, s.setup.quiet(), s.backend.Fork(), s.journal.upTo(s.store.Version()))
		if err != nil {
			s.t.Errorf("injecting a fault: freezing the state for stale reads: %v", err)
			return in
		}
		in.stale = past
	}
	s.faults.add(in)
	if fault.Drop && fault.Events == 0 {
		for _, st := range s.traffic.watches() {
			if in.hit(&st.about) {
				st.cut(errCut)
			}
		}
	}
	return in
}

// quiet is the same setup without what the server does by itself.
func (s *setup) quiet() *setup {
	quiet := *s
	quiet.idle, quiet.config.Wrote = true, nil
	return &quiet
}

// Hits is how many requests the fault has happened to.
func (in *Injected) Hits() int {
	in.faults.mu.Lock()
	defer in.faults.mu.Unlock()
	return in.hits
}

// Remove takes the fault back. It is idempotent.
func (in *Injected) Remove() {
	in.faults.mu.Lock()
	defer in.faults.mu.Unlock()
	if !in.removed {
		in.removed = true
		close(in.over)
	}
}

// hit says whether the fault happens to a request, and counts that.
func (in *Injected) hit(about *server.Attributes) bool {
	in.faults.mu.Lock()
	defer in.faults.mu.Unlock()
	return in.hitLocked(about)
}

func (in *Injected) hitLocked(about *server.Attributes) bool {
	if in.removed || !in.matches(about) || in.Count > 0 && in.hits == in.Count {
		return false
	}
	if in.seen++; in.seen <= in.Skip {
		return false
	}
	in.hits++
	return true
}

// answers says whether nothing else happens to a request to which the fault does.
func (in *Injected) answers() bool { return in.Status != 0 || in.Hang || in.Drop || in.Stale }

func (f *faults) add(in *Injected) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, in)
}

// of gives the faults that happen to a request.
func (f *faults) of(about *server.Attributes) (met []*Injected) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, in := range f.all {
		if in.hitLocked(about) {
			if met = append(met, in); in.answers() {
				break
			}
		}
	}
	return met
}

// clear takes all faults back and ends what they have started.
func (f *faults) clear() error {
	f.mu.Lock()
	all := f.all
	f.mu.Unlock()
	for _, in := range all {
		in.Remove()
		if in.stale != nil {
			if err := in.stale.stop(); err != nil {
				return fmt.Errorf("ending stale reads: %w", err)
			}
		}
	}
	return nil
}

// serve has the request meet its faults, and then the server.
func (f *faults) serve(w http.ResponseWriter, r *http.Request, about server.Attributes, s *Server) {
	for _, in := range f.of(&about) {
		if !in.wait(r) {
			return
		}
		if in.answers() {
			in.answer(w, r, &about, s)
			return
		}
	}
	s.Server.ServeHTTP(w, r)
}

// wait lets the latency pass; false if the client does not wait for that.
func (in *Injected) wait(r *http.Request) bool {
	if in.Latency <= 0 {
		return true
	}
	timer := time.NewTimer(in.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-in.over:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (in *Injected) answer(w http.ResponseWriter, r *http.Request, about *server.Attributes, s *Server) {
	switch {
	case in.Hang:
		select {
		case <-in.over:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	case in.Status != 0:
		s.Refuse(w, r, in.failure(about))
	case in.Stale:
		in.stale.Server.ServeHTTP(w, r)
	case about.Verb != "watch":
		s.Server.ServeHTTP(&lost{header: http.Header{}}, r)
		panic(http.ErrAbortHandler)
	case in.Events == 0:
		panic(http.ErrAbortHandler)
	default:
		s.Server.ServeHTTP(&counted{ResponseWriter: w, left: in.Events}, r)
	}
}
