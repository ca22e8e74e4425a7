package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// longestRequest is how long a request may take that is no watch.
const longestRequest = time.Minute

// requestTimeout reads the parameter timeout, which every request may carry. It may
// shorten the time of a request, not lengthen it.
func requestTimeout(r *http.Request) (time.Duration, error) {
	if !strings.Contains(r.URL.RawQuery, "timeout=") {
		return longestRequest, nil
	}
	text := r.URL.Query().Get("timeout")
	if text == "" {
		return longestRequest, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, object.BadRequest("invalid timeout specified in the request URL - %v", err)
	}
	if d <= 0 || d > longestRequest {
		d = longestRequest
	}
	return d, nil
}

// limitTime gives a request the time it may take, for reading its body too.
func limitTime(w http.ResponseWriter, r *http.Request, timeout time.Duration) (*http.Request, context.CancelFunc) {
	if r.ContentLength != 0 {
		// Where deadlines are not supported, nobody is on the other end of a wire.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(timeout))
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	return r.WithContext(ctx), cancel
}

// timedOut words the end of a request's time as the API does.
func timedOut(err error) error {
	var status *object.StatusError
	if errors.As(err, &status) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return object.Timeout("request did not complete within requested timeout - context deadline exceeded", 0)
}
