package callout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// ErrNoClient says that a target cannot be called at all, since its certificates are none.
var ErrNoClient = errors.New("could not get REST client")

// Post sends a document in JSON and gives the one that comes back, which may have so many bytes.
func (c *Clients) Post(ctx context.Context, to *Target, document []byte, most int) (object.Object, error) {
	client, err := c.client(to.server)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoClient, err)
	}
	defer client.done()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url(ctx), bytes.NewReader(document))
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
	return read(answer, most)
}

// read gives the document that an answer holds.
func read(answer *http.Response, most int) (object.Object, error) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer: %w", err)
	case len(body) > most:
		return nil, fmt.Errorf("the answer has more than %d bytes", most)
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
