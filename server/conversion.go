package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// ServiceAddress finds where a service can be reached, as "host:port". Its
// certificate is expected to be that of NAME.NAMESPACE.svc.
type ServiceAddress func(ctx context.Context, namespace, name string, port int32) (string, error)

// conversionTimeout is how long a webhook may take to convert, and maxConversion how
// many bytes it may answer with.
const (
	conversionTimeout = 30 * time.Second
	maxConversion     = 8 << 20
)

// conversionWebhook converts the objects of a definition by asking elsewhere.
type conversionWebhook struct {
	url    string
	client http.Client
}

// newConversionWebhook makes the client of a webhook. It keeps connections, which
// close closes.
func newConversionWebhook(w *definition.Webhook, service ServiceAddress) (*conversionWebhook, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(w.CABundle) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(w.CABundle) {
			return nil, errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	transport := &http.Transport{TLSClientConfig: config, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second}
	u, err := url.Parse(w.URL)
	if err != nil {
		return nil, fmt.Errorf("the URL of the conversion webhook: %w", err)
	}
	if s := w.Service; s != nil {
		u = serviceURL(s)
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			if service == nil {
				return nil, fmt.Errorf("service %s/%s: this server knows no services", s.Namespace, s.Name)
			}
			address, err := service(ctx, s.Namespace, s.Name, s.Port)
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	}
	u.Path = path.Join("/", u.Path) // as the API calls it, whatever slashes it has
	u.RawQuery = url.Values{"timeout": {conversionTimeout.String()}}.Encode()
	return &conversionWebhook{u.String(), http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// serviceURL is how a service is called: by the name that its certificate has.
func serviceURL(s *definition.Service) *url.URL {
	host := net.JoinHostPort(s.Name+"."+s.Namespace+".svc", strconv.Itoa(int(s.Port)))
	return &url.URL{Scheme: "https", Host: host, Path: s.Path}
}

// close closes the connections that are not in use.
func (w *conversionWebhook) close() { w.client.CloseIdleConnections() }

// convert has objects, all of one version, converted to another one.
func (w *conversionWebhook) convert(ctx context.Context, d *definition.Definition, version string, objects []object.Object) ([]object.Object, error) {
	uid := storage.NewUID()
	review, err := d.Review(uid, version, objects)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, conversionTimeout)
	defer cancel()
	answer, err := w.post(ctx, review)
	if err != nil {
		return nil, definition.ConversionError(objects[0].GroupVersionKind(), err)
	}
	return d.Converted(answer, uid, version, objects)
}

func (w *conversionWebhook) post(ctx context.Context, review object.Object) (object.Object, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(object.AppendJSON(nil, review)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", typeJSON)
	r.Header.Set("Accept", typeJSON+", */*")
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxConversion+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer: %w", err)
	case len(body) > maxConversion:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxConversion)
	case answer.StatusCode < http.StatusOK || answer.StatusCode > http.StatusPartialContent:
		return nil, errors.New(refusal(answer, body))
	}
	o, err := object.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	return o, nil
}

// refusals are what the API's client makes of the codes of failures that say no more.
var refusals = map[int]string{
	http.StatusConflict:            "the server reported a conflict",
	http.StatusNotFound:            "the server could not find the requested resource",
	http.StatusBadRequest:          "the server rejected our request for an unknown reason",
	http.StatusUnauthorized:        "the server has asked for the client to provide credentials",
	http.StatusMethodNotAllowed:    "the server does not allow this method on the requested resource",
	http.StatusUnprocessableEntity: "the server rejected our request due to an error in our request",
	http.StatusServiceUnavailable:  "the server is currently unable to handle the request",
	http.StatusGatewayTimeout:      "the server was unable to return a response in the time allotted, but may still be processing the request",
	http.StatusTooManyRequests:     "the server has received too many requests and has asked us to try again later",
}

// refusal words the answer of a webhook that failed.
func refusal(answer *http.Response, body []byte) string {
	if o, err := object.Decode(body); err == nil && o.Kind() == "Status" {
		if message, _ := o["message"].(string); message != "" {
			return message
		}
	}
	if text, ok := refusals[answer.StatusCode]; ok {
		return text
	}
	if answer.StatusCode < http.StatusInternalServerError {
		return fmt.Sprintf("the server responded with the status code %d but did not return more information", answer.StatusCode)
	}
	const most = 2048
	text := "unknown"
	if kind := answer.Header.Get("Content-Type"); kind == "" || strings.HasPrefix(kind, "text/") {
		text = strings.TrimSpace(string(body[:min(len(body), most)]))
	}
	return fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", text)
}
