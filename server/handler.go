package server

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// ServeHTTP implements [http.Handler]. A panic is answered with 500 and logged
// with its stack; it costs no connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			s.panicked(w, r, p)
		}
	}()
	forbidCaching(w)
	s.serve(w, r)
}

// forbidCaching is for every answer that doesn't say that it may be kept.
func forbidCaching(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-cache, private") }

func (s *Server) panicked(w http.ResponseWriter, r *http.Request, p any) {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.logPanic(r, p)
	s.failWith(w, r, object.InternalError(fmt.Errorf("panic while serving: %v", p)), nil)
}

// logPanic tells of a panic; it is for the deferred function that recovered it.
func (s *Server) logPanic(r *http.Request, p any) {
	s.config.Logger.ErrorContext(r.Context(), "panic", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
}

// serve is what happens to every request: who asks, may they, and then the
// resource or the document that the path names.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	user, err := s.authenticate(r)
	if err != nil {
		s.failWith(w, r, err, nil)
		return
	}
	info := parseRequestInfo(r)
	if user, err = s.impersonate(r, user); err == nil {
		err = s.authorize(r, user, &info)
	}
	var timeout time.Duration
	if err == nil {
		timeout, err = requestTimeout(r)
	}
	if err != nil {
		s.failWith(w, r, err, nil)
		return
	}
	if !info.resource {
		s.servePath(w, r, &info)
		return
	}
	if info.verb != "watch" {
		growStack()
		if err := s.inFlight.enter(); err != nil {
			s.failWith(w, r, err, nil)
			return
		}
		defer s.inFlight.leave()
		var cancel context.CancelFunc
		r, cancel = limitTime(w, r, timeout)
		defer cancel()
	}
	s.serveResource(w, r, user, info)
}

// growStack makes room at once for what a request calls, where few frames have to be moved for it:
// the stack of its goroutine is small, and would double again and again on the way down.
//
//go:noinline
func growStack() {
	var room [8 << 10]byte
	runtime.KeepAlive(&room)
}

// authenticate finds the user of a request; nobody named is the anonymous user.
func (s *Server) authenticate(r *http.Request) (object.User, error) {
	if s.config.Authenticator == nil {
		return anonymous, nil
	}
	user, ok, err := s.config.Authenticator.Authenticate(r)
	switch {
	case err != nil:
		return object.User{}, object.Unauthorized("Unauthorized")
	case !ok:
		return anonymous, nil
	}
	return user, nil
}

// servePath answers requests that are for no resource.
func (s *Server) servePath(w http.ResponseWriter, r *http.Request, info *requestInfo) {
	if s.serveDocument(w, r) {
		return
	}
	if root, _, _ := strings.Cut(strings.TrimPrefix(info.path, "/"), "/"); root == "api" {
		s.failWith(w, r, object.PathNotFound(), nil)
		return
	}
	notFoundPage(w)
}

// notFoundPage is the answer to paths that no API has.
func notFoundPage(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte("404 page not found\n"))
}

// serveResource finds the resource and the verb and lets it answer.
func (s *Server) serveResource(w http.ResponseWriter, r *http.Request, user object.User, info requestInfo) {
	set := s.resources.Load()
	group, ok := set.group(info.gvr.Group)
	if !ok {
		notFoundPage(w)
		return
	}
	found, ok := set.find(info.gvr)
	if !ok || info.beyond || !fits(found, &info) {
		if group.custom {
			notFoundPage(w)
			return
		}
		s.failWith(w, r, object.PathNotFound(), nil)
		return
	}
	x := s.exchange(w, r, set, found, info)
	x.user = user
	s.metrics.count(info.verb)
	if found.version.Warning != "" {
		x.warn(found.version.Warning)
	}
	if err := x.enter(info.subresource); err != nil {
		x.fail(err)
		return
	}
	x.serve()
}

// exchange begins to answer a request for a resource.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request, set *resourceSet, found *served, info requestInfo) *exchange {
	c := &call{Server: s, served: found, set: set, namespace: info.namespace, name: info.name}
	if !found.Namespaced {
		c.namespace = ""
	}
	if found.version.Documents != nil && info.verb == "create" && info.subresource == "" {
		c.name = "" // the body names what is new
	}
	x := &exchange{call: c, w: w, r: r, info: info}
	if r.Header.Get(headerExplain) != "" {
		c.trace = &admission.Trace{}
	}
	c.mayCreate = x.authorizeCreate
	return x
}

// fits says whether the path has the scope of the resource.
func fits(found *served, info *requestInfo) bool {
	switch {
	case !found.Namespaced:
		return !info.namespaced
	case info.namespaced:
		return true
	case found.version.Documents != nil:
		return info.name == "" && (info.verb == "list" || info.verb == "watch")
	}
	return info.name == ""
}

// serve answers by the verb that method and path ask for.
func (x *exchange) serve() {
	serve, ok := x.verb()
	if !ok {
		x.fail(x.errVerb())
		return
	}
	if x.name != "" {
		if msgs := object.ValidatePathSegmentName(x.name, false); len(msgs) > 0 {
			x.fail(object.BadRequest("Name parameter invalid: %q: %s", x.name, strings.Join(msgs, ";")))
			return
		}
	}
	if err := serve(); err != nil {
		x.fail(err)
	}
}

// errVerb says that the path does not allow the method.
func (x *exchange) errVerb() error {
	if x.version.Documents != nil {
		return object.MethodNotSupported(x.groupResource(), x.info.verb)
	}
	return object.MethodNotAllowed()
}

// verb gives what answers the request; ok is false if the path does not allow the method.
// Resources that a definition made are asked by verb: HEAD reads like GET, and a change of
// a collection lacks a name.
func (x *exchange) verb() (serve func() error, ok bool) {
	onObject, everywhere := x.name != "", x.Namespaced && x.namespace == ""
	method, defined := x.r.Method, x.version.Documents != nil
	if method == http.MethodHead && defined {
		method = http.MethodGet
	}
	if x.info.watchPath {
		return x.serveWatch, x.info.verb == "watch" && x.r.Method == http.MethodGet && x.serves("watch")
	}
	switch method {
	case http.MethodGet:
		if onObject {
			return x.serveGet, x.serves("get")
		}
		return x.serveListOrWatch, x.serves("list")
	case http.MethodPost:
		return x.serveCreate, !onObject && !everywhere && x.serves("create")
	case http.MethodPut:
		return x.serveUpdate, (onObject || defined) && x.serves("update")
	case http.MethodPatch:
		return x.servePatch, (onObject || defined) && x.serves("patch")
	case http.MethodDelete:
		if onObject {
			return x.serveDelete, x.serves("delete")
		}
		return x.serveDeleteCollection, !everywhere && x.serves("deletecollection")
	}
	return nil, false
}
