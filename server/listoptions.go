package server

import (
	"math"
	"net/url"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// ListOptions say which objects a list or a watch is about and as of when. The
// zero value means all of them, now.
type ListOptions struct {
	LabelSelector        string
	FieldSelector        string
	ResourceVersion      string
	ResourceVersionMatch string // "", Exact or NotOlderThan
	Limit                int64
	Continue             string
	TimeoutSeconds       *int64
	AllowWatchBookmarks  bool
	SendInitialEvents    *bool
	Watch                bool
}

// parseListOptions reads the query; what it doesn't know it passes over. Errors
// are those of a BadRequest.
func parseListOptions(q url.Values) (o ListOptions, err error) {
	o.LabelSelector = q.Get("labelSelector")
	o.FieldSelector = q.Get("fieldSelector")
	o.ResourceVersion = q.Get("resourceVersion")
	o.ResourceVersionMatch = q.Get("resourceVersionMatch")
	o.Continue = q.Get("continue")
	o.Watch = isTrue(q, "watch")
	o.AllowWatchBookmarks = isTrue(q, "allowWatchBookmarks")
	if q.Has("sendInitialEvents") {
		send := isTrue(q, "sendInitialEvents")
		o.SendInitialEvents = &send
	}
	if o.TimeoutSeconds, err = parseInt(q, "timeoutSeconds"); err != nil {
		return o, err
	}
	limit, err := parseInt(q, "limit")
	if limit != nil {
		o.Limit = max(*limit, 0)
	}
	return o, err
}

// complete says of a watch that begins with the present objects that it does: one of
// no version, or of "0", that says nothing else.
func (o *ListOptions) complete() {
	if !o.Watch || o.SendInitialEvents != nil || o.ResourceVersionMatch != "" {
		return
	}
	if o.ResourceVersion == "" || o.ResourceVersion == "0" {
		send := true
		o.SendInitialEvents, o.ResourceVersionMatch = &send, matchNotOlderThan
	}
}

// validate applies the API's rules on combinations of options.
func (o *ListOptions) validate() error {
	if o.Watch {
		return invalidOptions("ListOptions", o.watchErrors())
	}
	return invalidOptions("ListOptions", o.listErrors())
}

func (o *ListOptions) listErrors() (errs object.FieldErrors) {
	if match := o.ResourceVersionMatch; match != "" {
		if o.ResourceVersion == "" {
			errs = append(errs, forbiddenMatch("is forbidden unless resourceVersion is provided"))
		}
		if o.Continue != "" {
			errs = append(errs, forbiddenMatch("is forbidden when continue is provided"))
		}
		if match != matchExact && match != matchNotOlderThan {
			errs = append(errs, object.UnsupportedField("resourceVersionMatch", match, matchExact, matchNotOlderThan, ""))
		}
		if match == matchExact && o.ResourceVersion == "0" {
			errs = append(errs, forbiddenMatch(`"exact" is forbidden for resourceVersion "0"`))
		}
	}
	if o.SendInitialEvents != nil {
		errs = append(errs, object.ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return errs
}

func (o *ListOptions) watchErrors() (errs object.FieldErrors) {
	match := o.ResourceVersionMatch
	if o.SendInitialEvents != nil && match != matchNotOlderThan {
		errs = append(errs, object.ForbiddenField("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if match == "" {
		return errs
	}
	if o.SendInitialEvents == nil {
		errs = append(errs, forbiddenMatch("is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != matchNotOlderThan {
		errs = append(errs, object.UnsupportedField("resourceVersionMatch", match, matchNotOlderThan))
	}
	if o.Continue != "" {
		errs = append(errs, forbiddenMatch("is forbidden when continue is provided"))
	}
	return errs
}

func forbiddenMatch(detail string) *object.FieldError {
	return object.ForbiddenField("resourceVersionMatch", "resourceVersionMatch "+detail)
}

const (
	matchExact        = "Exact"
	matchNotOlderThan = "NotOlderThan"
)

// timeout gives how long a watch with these options may last.
func (o *ListOptions) timeout(fallback time.Duration) time.Duration {
	if o.TimeoutSeconds == nil || *o.TimeoutSeconds <= 0 {
		return fallback
	}
	const most = math.MaxInt64 / int64(time.Second)
	return time.Duration(min(*o.TimeoutSeconds, most)) * time.Second
}
