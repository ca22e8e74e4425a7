package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxAnswer is how many bytes a webhook may answer with.
const maxAnswer = 3 << 20

// askRemote asks over HTTPS.
func (h *hook) askRemote(ctx context.Context, clients *Clients, q *question, mutates bool) (Answer, error) {
	client, err := clients.client(h.target.server)
	if err != nil {
		return Answer{}, fmt.Errorf("could not get REST client: %w", err)
	}
	defer client.done()
	uid := newUID()
	review, err := h.target.post(ctx, client, q.json(h.version, uid))
	if err == nil {
		err = checkKind(review, h.version)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("failed to call webhook: %w", err)
	}
	answer, err := readAnswer(review, h.version, uid, mutates)
	if err != nil {
		return Answer{}, fmt.Errorf("received invalid webhook response: %w", err)
	}
	return answer, nil
}

// post sends a review and gives the document that comes back.
func (t *target) post(ctx context.Context, client *client, review []byte) (object.Object, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url(ctx), bytes.NewReader(review))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, */*")
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer: %w", err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case answer.StatusCode < http.StatusOK || answer.StatusCode > http.StatusPartialContent:
		return nil, errors.New(failure(answer, body))
	case len(body) == 0:
		return nil, fmt.Errorf("0-length response with status code: %d and content type: %s", answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	o, err := object.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	return o, nil
}

// url tells the webhook how many seconds it has.
func (t *target) url(ctx context.Context) string {
	u := url.URL{Scheme: "https", Host: t.host, Path: t.path}
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline), 1)
		u.RawQuery = url.Values{"timeout": {((left + time.Second - 1).Truncate(time.Second)).String()}}.Encode()
	}
	return u.String()
}

// failures are what the API's client makes of the codes of failures that say no more.
var failures = map[int]string{
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

// failure words the answer of a webhook that failed.
func failure(answer *http.Response, body []byte) string {
	if o, err := object.Decode(body); err == nil && o.Kind() == "Status" {
		if message, _ := o["message"].(string); message != "" {
			return message
		}
	}
	if text, ok := failures[answer.StatusCode]; ok {
		return text
	}
	text := failureText(answer, body)
	switch code := answer.StatusCode; {
	case code == http.StatusForbidden, code == http.StatusNotAcceptable, code == http.StatusUnsupportedMediaType:
		return text
	case code < http.StatusInternalServerError:
		return fmt.Sprintf("the server responded with the status code %d but did not return more information", code)
	}
	return fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", text)
}

// failureText is the beginning of what a webhook that failed says, if it is meant to be read.
func failureText(answer *http.Response, body []byte) string {
	const most = 2048
	if kind := answer.Header.Get("Content-Type"); kind == "" || strings.HasPrefix(kind, "text/") {
		return strings.TrimSpace(string(body[:min(len(body), most)]))
	}
	return "unknown"
}
