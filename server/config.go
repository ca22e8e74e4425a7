package server

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Config is what a [Server] is made of.
type Config struct {
	// Store keeps the objects. It stays the caller's, to be closed after Shutdown.
	Store *storage.Store

	// Resources are those served from the start; [Server.Add] brings more.
	Resources []Resource

	// CustomResources, if set, has the server take definitions of custom resources
	// and serve what they define.
	CustomResources *CustomResources

	// Service finds the services that webhooks and definitions of custom resources name.
	// Without it, they can be named by URL only.
	Service callout.Resolver

	// Authenticator and Authorizer decide who may do what. Without an
	// Authenticator everybody is anonymous; without an Authorizer everybody may do
	// everything, which is for tests and for programs that guard the handler themselves.
	Authenticator Authenticator
	Authorizer    Authorizer

	// Audit, if set, is told what admission noted of a write for an audit log, whether the
	// write came to pass or not. It is called by any number of goroutines, and must not block.
	Audit func(ctx context.Context, about Attributes, annotations map[string]string)

	// Wrote, if set, is told of every write that a client or a program has made, right after it:
	// what about, by whom, as which manager of fields, and which version came of it. What the
	// server does by itself (the status of a definition, the end of an expiry) is not told. It is
	// called by any number of goroutines, and must not block.
	Wrote func(about Attributes, manager string, version object.ResourceVersion)

	// Logger gets what goes wrong on the server's side; slog.Default, if nil.
	Logger *slog.Logger

	// Version is the answer of /version.
	Version VersionInfo
}

// Authenticator finds out who makes a request. ok is false if the request names
// nobody; an error means that it names somebody falsely and is answered with 401.
type Authenticator interface {
	Authenticate(r *http.Request) (user object.User, ok bool, err error)
}

// Authorizer decides what a user may do. A reason is shown to the user.
type Authorizer interface {
	Authorize(ctx context.Context, a Attributes) (allowed bool, reason string, err error)
}

// Attributes are what an [Authorizer] decides on: either a resource request, or
// one for another path, with Path set and the rest of them empty.
type Attributes struct {
	User        object.User
	Verb        string // get, list, watch, create, update, patch, delete, deletecollection; for paths the method in lower case
	Group       string
	Version     string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	Path        string
}

// VersionInfo is the answer of /version.
type VersionInfo struct {
	Major        string `json:"major"`
	Minor        string `json:"minor"`
	GitVersion   string `json:"gitVersion"`
	GitCommit    string `json:"gitCommit"`
	GitTreeState string `json:"gitTreeState"`
	BuildDate    string `json:"buildDate"`
	GoVersion    string `json:"goVersion"`
	Compiler     string `json:"compiler"`
	Platform     string `json:"platform"`
}
