package apitest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Fault is a failure that is asked for: to which requests it happens, and what. It is data, in Go or
// in JSON, where durations are texts such as "1.5s". Of Status, Hang, Drop and Stale it has one at most.
type Fault struct {
	// The requests: those for which all that is not empty holds. A verb is one of get, list,
	// watch, create, update, patch, delete and deletecollection; an apply is a patch. A
	// resource is written "configmaps", or "deployments.apps" for that of one group. Requests for
	// other things, such as discovery, meet the faults that say nothing here.
	Verb        string `json:"verb,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`

	// Skip lets so many of them pass first, and Count is how many it then happens to; all, if it is
	// zero.
	Skip  int `json:"skip,omitempty"`
	Count int `json:"count,omitempty"`

	// Latency is how long the request waits before anything else happens to it.
	Latency time.Duration `json:"latency,omitempty"`

	// Status is the code of the answer, instead of doing what is asked: 409, 410, 429, 500, 503,
	// 504, and so on, with the reason and the message that the API has for it. Message takes the
	// place of the latter. RetryAfter tells the client when to come back, in whole seconds.
	Status     int           `json:"status,omitempty"`
	Message    string        `json:"message,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"`

	// Hang gives no answer until the client gives up, or the fault is taken back.
	Hang bool `json:"hang,omitempty"`

	// Drop breaks the connection: of a watch after Events events, and of those at once that are
	// open when the fault is injected and Events is zero; of another request when all was done
	// that it asks for, so that its client does not learn of that.
	Drop   bool `json:"drop,omitempty"`
	Events int  `json:"events,omitempty"`

	// Stale answers a get or a list from the state at the time when the fault was injected, as a
	// cache does that is behind.
	Stale bool `json:"stale,omitempty"`
}

// check says what is wrong with a fault.
func (f *Fault) check() error {
	verbs := []string{"", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	switch {
	case !slices.Contains(verbs, f.Verb):
		return fmt.Errorf("there is no verb %q; an apply is a patch", f.Verb)
	case f.Skip < 0 || f.Count < 0 || f.Events < 0 || f.Latency < 0 || f.RetryAfter < 0:
		return errors.New("skip, count, events, latency and retryAfter must not be negative")
	case f.Status != 0 && (f.Status < 400 || f.Status > 599):
		return fmt.Errorf("%d is not the status of a failure", f.Status)
	case f.Status == 0 && (f.Message != "" || f.RetryAfter != 0):
		return errors.New("message and retryAfter belong to a status, which is missing")
	case f.Events > 0 && !f.Drop:
		return errors.New("events says when to drop a watch, but drop is not set")
	case f.Stale && f.Verb != "" && f.Verb != "get" && f.Verb != "list":
		return fmt.Errorf("only get and list can be stale, not %s", f.Verb)
	}
	if kinds := count(f.Status != 0, f.Hang, f.Drop, f.Stale); kinds > 1 {
		return errors.New("it can have only one of status, hang, drop and stale; inject several faults")
	} else if kinds == 0 && f.Latency == 0 {
		return errors.New("it does nothing")
	}
	return nil
}

func count(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// matches says whether a fault is for a request.
func (f *Fault) matches(a *server.Attributes) bool {
	resource, group, grouped := strings.Cut(f.Resource, ".")
	switch {
	case a.Resource == "":
		return f.Verb == "" && f.Resource == "" && f.Subresource == "" && f.Namespace == "" && f.Name == ""
	case f.Verb != "" && f.Verb != a.Verb,
		resource != "" && resource != a.Resource,
		grouped && group != a.Group,
		f.Subresource != "" && f.Subresource != a.Subresource,
		f.Namespace != "" && f.Namespace != a.Namespace,
		f.Name != "" && f.Name != a.Name:
		return false
	}
	return !f.Stale || a.Verb == "get" || a.Verb == "list"
}

// failure is the error that the client gets.
func (f *Fault) failure(a *server.Attributes) error {
	seconds := int32((f.RetryAfter + time.Second - 1) / time.Second)
	e := f.reason(a, seconds)
	if f.Message != "" {
		e.Status.Message = f.Message
	}
	e.Status.Code = f.Status
	if seconds > 0 {
		if e.Status.Details == nil {
			e.Status.Details = &object.StatusDetails{}
		}
		e.Status.Details.RetryAfterSeconds = seconds
	}
	return e
}

var (
	errInjected = errors.New("this failure was asked for")
	errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")
)

// reason finds what the API says with the code.
func (f *Fault) reason(a *server.Attributes, seconds int32) *object.StatusError {
	gr := object.GroupResource{Group: a.Group, Resource: a.Resource}
	switch f.Status {
	case http.StatusBadRequest:
		return object.BadRequest("%v", errInjected)
	case http.StatusUnauthorized:
		return object.Unauthorized("Unauthorized")
	case http.StatusForbidden:
		return object.Forbidden(gr, a.Name, errInjected)
	case http.StatusNotFound:
		if a.Name == "" {
			return object.PathNotFound()
		}
		return object.NotFound(gr, a.Name)
	case http.StatusConflict:
		if a.Verb == "create" {
			return object.AlreadyExists(gr, a.Name)
		}
		return object.Conflict(gr, a.Name, errModified)
	case http.StatusGone:
		return object.Expired("The resourceVersion for the provided watch is too old.")
	case http.StatusUnprocessableEntity:
		return object.NewStatusError(object.ErrInvalid, nil, "%v", errInjected)
	case http.StatusTooManyRequests:
		return object.TooManyRequests("Too many requests, please try again later.", seconds)
	case http.StatusServiceUnavailable:
		return object.ServiceUnavailable("the server is currently unable to handle the request")
	case http.StatusGatewayTimeout:
		return object.Timeout("request did not complete within requested timeout - context deadline exceeded", seconds)
	case http.StatusInternalServerError:
		return object.InternalError(errInjected)
	}
	return object.NewStatusError("", nil, "%s", cmp.Or(http.StatusText(f.Status), errInjected.Error()))
}
