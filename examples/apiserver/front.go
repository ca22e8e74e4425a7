package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// shutdownTime is how long requests under way may take when the server stops.
const shutdownTime = 10 * time.Second

// front is the HTTP side of the program.
type front struct {
	api     *server.Server
	http    *http.Server
	url     string
	trusted []byte // the certificate in PEM; nil for plain HTTP
}

func newFront(o *options, api *server.Server, address net.Addr) (*front, error) {
	f := &front{api: api, http: httpServer(api), url: "https://" + reachable(address)}
	if o.plain {
		f.url = "http://" + reachable(address)
		return f, nil
	}
	hosts, err := certificateHosts(o.listen)
	if err != nil {
		return nil, err
	}
	path := ""
	if o.data != inMemory {
		path = o.beside(".pem")
	}
	id, err := loadIdentity(path, hosts, time.Now())
	if err != nil {
		return nil, err
	}
	f.trusted = id.trusted
	f.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{id.certificate}, MinVersion: tls.VersionTLS12}
	return f, nil
}

// httpServer sets limits for everything but the time that an answer takes, since a
// watch lasts. Pings find out clients that are gone without a word.
func httpServer(handler http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       3 * time.Minute,
		MaxHeaderBytes:    1 << 20,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: 1000,
			SendPingTimeout:      30 * time.Second,
			PingTimeout:          15 * time.Second,
			WriteByteTimeout:     time.Minute,
		},
	}
}

// reachable is the address that a client on this machine can use.
func reachable(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	return address.String()
}

// announce writes the kubeconfig and says how to reach the server.
func (f *front) announce(o *options, out io.Writer) error {
	if err := writePrivate(o.kubeconfig, kubeconfig(f.url, o.token, f.trusted)); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	path, err := filepath.Abs(o.kubeconfig)
	if err != nil {
		path = o.kubeconfig
	}
	token := o.token
	if o.givenToken {
		token = "(as given)"
	}
	_, err = fmt.Fprintf(out, "address:    %s\ntoken:      %s\nkubeconfig: %s\n\nkubectl --kubeconfig %s get namespaces\n",
		f.url, token, path, path)
	return err
}

// serve answers requests until ctx ends, and then stops: watches get a complete
// last frame, other requests the time they need.
func (f *front) serve(ctx context.Context, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() {
		if f.trusted == nil {
			ended <- f.http.Serve(listener)
			return
		}
		ended <- f.http.ServeTLS(listener, "", "")
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	return f.stop()
}

func (f *front) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	err := errors.Join(f.api.Shutdown(ctx), f.http.Shutdown(ctx))
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.Join(errors.New("some requests did not end in time"), f.http.Close())
	}
	return err
}
