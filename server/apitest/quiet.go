package apitest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// holders are those who may hold work, beside the server itself.
type holders struct {
	mu  sync.Mutex
	all []holder
}

type holder struct {
	name string
	busy func() bool
}

// Hold has [Server.Quiet] wait as long as busy says that somebody holds work: a controller, for
// instance, with something in its queue. busy is called often, from any goroutine.
func (s *Server) Hold(name string, busy func() bool) {
	s.holders.mu.Lock()
	defer s.holders.mu.Unlock()
	s.holders.all = append(s.holders.all, holder{name, busy})
}

// busy are the names of those who hold work.
func (h *holders) busy() (names []string) {
	h.mu.Lock()
	all := h.all
	h.mu.Unlock()
	for _, one := range all {
		if one.busy() {
			names = append(names, one.name)
		}
	}
	return names
}

// Quiet waits until nothing happens any more: for the whole span nothing was written, and at its
// end no request is under way, all watches have been given what there is, and nobody holds work, of
// the controllers of the server or of those that [Server.Hold] has told of. It takes until ctx
// ends, or 10 seconds beyond the span if that has no end; the error then says what went on.
func (s *Server) Quiet(ctx context.Context, span time.Duration) error {
	ctx, cancel := limited(ctx, span+limit)
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		_, before := s.journal.last()
		timer.Reset(max(span, time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			news := cmp.Or(s.activity(before), "it was not quiet for long enough")
			return fmt.Errorf("waiting for quiet: %w: %s", ctx.Err(), news)
		}
		if s.activity(before) == "" && s.settle(ctx) == nil && s.activity(before) == "" {
			return nil
		}
	}
}

// settle waits for what the server does by itself.
func (s *Server) settle(ctx context.Context) error {
	if err := s.Settle(ctx); err != nil {
		return err
	}
	return s.controllers.settle(ctx)
}

// activity says what goes on, if anything does; writes is how many there were before.
func (s *Server) activity(writes int) string {
	var news []string
	if _, now := s.journal.last(); now > writes {
		version := objectVersion(now - 1 + firstWrite)
		news = append(news, fmt.Sprintf("the last of %d writes was to %s", now-writes, s.journal.find(version).key))
	}
	if requests := s.traffic.underWay(); requests > 0 {
		news = append(news, fmt.Sprintf("%d requests are under way", requests))
	}
	if !s.WatchesIdle() {
		news = append(news, "a watch has events to deliver")
	}
	if busy := s.holders.busy(); len(busy) > 0 {
		news = append(news, strings.Join(busy, " and ")+" held work")
	}
	return strings.Join(news, ", ")
}
