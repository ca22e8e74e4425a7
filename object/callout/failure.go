package callout

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

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
