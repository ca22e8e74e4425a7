package callout

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"time"
)

// Target is where a webhook is, and whom to trust there. It can be compared.
type Target struct {
	server
	path string
}

// server is what connections are shared for.
type server struct {
	host               string // and port, as the certificate has it
	certificates       string // in PEM, that are trusted
	namespace, service string // instead of looking the host up
	port               int32  // of the service
}

// AtURL is a webhook at a URL of the scheme https. Certificates are in PEM; without any, those of
// the system are trusted.
func AtURL(text string, certificates []byte) (Target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Target{}, fmt.Errorf("the URL of a webhook: %w", err)
	}
	return Target{server{host: u.Host, certificates: string(certificates)}, rooted(u.Path)}, nil
}

// AtService is a webhook behind a service, which is called by the name that its certificate has.
func AtService(namespace, name string, port int32, at string, certificates []byte) Target {
	return Target{server{
		host:         net.JoinHostPort(name+"."+namespace+".svc", strconv.Itoa(int(port))),
		certificates: string(certificates), namespace: namespace, service: name, port: port,
	}, rooted(at)}
}

// rooted gives a path as the API calls it, whatever slashes it has.
func rooted(text string) string { return path.Join("/", text) }

// url tells the webhook how many seconds it has.
func (t *Target) url(ctx context.Context) string {
	u := url.URL{Scheme: "https", Host: t.host, Path: t.path}
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline), 1)
		u.RawQuery = url.Values{"timeout": {((left + time.Second - 1).Truncate(time.Second)).String()}}.Encode()
	}
	return u.String()
}
