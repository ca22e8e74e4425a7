package server

import (
	"net/http"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// RequestOf says what a request is about, as a server reads it, for a program that stands in
// front of one. Who makes it is for an [Authenticator] to say: the user is empty.
func RequestOf(r *http.Request) Attributes {
	info := parseRequestInfo(r)
	return info.attributes(object.User{})
}
