package callout

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Resolver finds where a service can be reached, as "host:port". Its certificate is expected
// to be that of NAME.NAMESPACE.svc.
type Resolver func(ctx context.Context, namespace, name string, port int32) (string, error)

// Clients keeps the connections to webhooks, so that all who call the same server share
// them. The zero value knows no services. It must not be copied.
type Clients struct {
	Service Resolver

	mu     sync.Mutex
	open   map[server]*client
	closed bool
}

// client is what talks to a server. One that is retired keeps no connections beyond the calls
// that are under way.
type client struct {
	http.Client
	retired atomic.Bool
}

func (c *client) retire() {
	c.retired.Store(true)
	c.CloseIdleConnections()
}

// done is called behind each call.
func (c *client) done() {
	if c.retired.Load() {
		c.CloseIdleConnections()
	}
}

// Retain closes the connections to all servers but those of these targets, once they are not
// in use.
func (c *Clients) Retain(targets ...Target) {
	wanted := map[server]bool{}
	for i := range targets {
		wanted[targets[i].server] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retain(wanted)
}

// retain is for the holder of the lock.
func (c *Clients) retain(wanted map[server]bool) {
	for s, client := range c.open {
		if !wanted[s] {
			client.retire()
			delete(c.open, s)
		}
	}
}

// Close closes all connections, once they are not in use. Calls from now on keep none.
func (c *Clients) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.retain(nil)
}

// client gives the one for a server.
func (c *Clients) client(s server) (*client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if client, ok := c.open[s]; ok {
		return client, nil
	}
	fresh, err := c.newClient(s)
	switch {
	case err != nil:
		return nil, err
	case c.closed:
		fresh.retire()
		return fresh, nil
	case c.open == nil:
		c.open = map[server]*client{}
	}
	c.open[s] = fresh
	return fresh, nil
}

func (c *Clients) newClient(s server) (*client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.certificates != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(s.certificates)) {
			return nil, errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	transport := &http.Transport{
		TLSClientConfig:     config,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     time.Minute,
		MaxIdleConnsPerHost: 16,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}, // finds out who is gone
	}
	if s.service != "" {
		transport.DialContext = c.dialService(s)
	}
	return &client{Client: http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (c *Clients) dialService(s server) func(ctx context.Context, network, _ string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		if c.Service == nil {
			return nil, fmt.Errorf("service %q not found", s.service)
		}
		address, err := c.Service(ctx, s.namespace, s.service, s.port)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}
