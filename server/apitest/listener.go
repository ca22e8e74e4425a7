package apitest

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// listener serves on a socket, if somebody asks for it.
type listener struct {
	mu     sync.Mutex
	server *http.Server
	url    string
	done   chan struct{} // closed when the server has ended
}

// URL gives an address at which the server answers by plain HTTP, for programs and clients that
// want a socket; it listens from the first call on. In a bubble, where a socket would keep the
// clock from going on, use [Server.Transport].
func (s *Server) URL() string {
	s.listener.mu.Lock()
	defer s.listener.mu.Unlock()
	if s.listener.server == nil {
		if err := s.listener.listen(s); err != nil {
			s.t.Errorf("serving on a socket: %v", err)
		}
	}
	return s.listener.url
}

// listen serves on any free port. The caller holds the lock.
func (l *listener) listen(handler http.Handler) error {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening on the loopback interface: %w", err)
	}
	l.url = "http://" + socket.Addr().String()
	l.server = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	l.done = make(chan struct{})
	go func() {
		defer close(l.done)
		_ = l.server.Serve(socket) // until close
	}()
	return nil
}

func (l *listener) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server == nil {
		return
	}
	_ = l.server.Close() // what is open belongs to clients that were told
	<-l.done
}
