package server

import (
	"context"
	"sync"
)

// streams counts the watches under way, so that Shutdown can wait for them. It
// blocks on a channel alone. The zero value is ready for use.
type streams struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n is back at zero; nil while nobody waits
}

func (s *streams) begin() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *streams) end() {
	s.mu.Lock()
	s.n--
	if s.n == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
	s.mu.Unlock()
}

// count is how many watches are under way.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// wait returns when no watch is under way, or with the error of ctx.
func (s *streams) wait(ctx context.Context) error {
	s.mu.Lock()
	if s.n == 0 {
		s.mu.Unlock()
		return nil
	}
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
