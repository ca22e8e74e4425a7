package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// LimitType says whose events a limit counts together.
type LimitType string

// The types of limits.
const (
	ServerLimit          LimitType = "Server"          // all
	NamespaceLimit       LimitType = "Namespace"       // those of a namespace
	UserLimit            LimitType = "User"            // those that a user writes
	SourceAndObjectLimit LimitType = "SourceAndObject" // those that a source tells of an object
)

// EventLimit is how many events may be written: some at once, and so many a second then.
type EventLimit struct {
	Type  LimitType
	QPS   int
	Burst int

	// CacheSize is how many namespaces, users, or sources and objects are remembered; 4096, if
	// it is 0. Those that were not heard of for the longest time are forgotten.
	CacheSize int
}

const defaultCacheSize = 4096

// EventRate is the validator that limits how many events are written. [NewEventRate] makes one.
type EventRate struct{ limits []*eventLimit }

type eventLimit struct {
	EventLimit
	buckets *buckets
}

// NewEventRate makes an EventRate of limits, all of which count.
func NewEventRate(limits ...EventLimit) (*EventRate, error) {
	var errs object.FieldErrors
	r := &EventRate{}
	for i, l := range limits {
		errs = append(errs, l.check(fmt.Sprintf("limits[%d]", i))...)
		size := l.CacheSize
		if size == 0 {
			size = defaultCacheSize
		}
		r.limits = append(r.limits, &eventLimit{l, newBuckets(size, float64(l.QPS), float64(l.Burst))})
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("limits of events: %w", errs)
	}
	return r, nil
}

func (l *EventLimit) check(path string) (errs object.FieldErrors) {
	types := []string{string(NamespaceLimit), string(ServerLimit), string(SourceAndObjectLimit), string(UserLimit)}
	if !slices.Contains(types, string(l.Type)) {
		errs = append(errs, object.UnsupportedField(path+".type", string(l.Type), types...))
	}
	if l.Burst <= 0 {
		errs = append(errs, object.InvalidField(path+".burst", l.Burst, "must be positive"))
	}
	if l.QPS <= 0 {
		errs = append(errs, object.InvalidField(path+".qps", l.QPS, "must be positive"))
	}
	if l.CacheSize < 0 {
		errs = append(errs, object.InvalidField(path+".cacheSize", l.CacheSize, "must not be negative"))
	}
	return errs
}

// Name is that of the stage in traces.
func (r *EventRate) Name() string { return "EventRateLimit" }

// Validate implements [admission.Validator]. An event that one limit refuses counts for the
// others all the same.
func (r *EventRate) Validate(_ context.Context, req *admission.Request) error {
	if req.Kind.Kind != "Event" || req.Kind.Group != "" && req.Kind.Group != "events.k8s.io" ||
		req.DryRun || req.Operation != admission.Create && req.Operation != admission.Update {
		return nil
	}
	var refusals []error
	for _, l := range r.limits {
		if key := l.key(req); !l.buckets.take(key) {
			refusals = append(refusals, fmt.Errorf("limit reached on type %s for key %s", l.Type, key))
		}
	}
	if err := object.JoinErrors(refusals); err != nil {
		return object.NewStatusError(object.ErrTooManyRequests, nil, "Too many requests: %v", err)
	}
	return nil
}

// key says with which others an event counts together.
func (l *eventLimit) key(req *admission.Request) string {
	switch l.Type {
	case NamespaceLimit:
		return req.Namespace
	case UserLimit:
		return req.User.Name
	case SourceAndObjectLimit:
		return sourceAndObject(req.Object)
	}
	return ""
}

// sourceAndObject joins what an event says of who tells it and what it is about, which the two groups
// of events name in two ways.
func sourceAndObject(event object.Object) string {
	var b strings.Builder
	add := func(paths ...[]string) {
		for _, path := range paths {
			v, _ := event.Field(path...)
			if s, _ := v.(string); s != "" {
				b.WriteString(s)
				return
			}
		}
	}
	for _, name := range []string{"component", "host"} {
		add([]string{"source", name}, []string{"deprecatedSource", name})
	}
	for _, name := range []string{"kind", "namespace", "name", "uid", "apiVersion"} {
		add([]string{"involvedObject", name}, []string{"regarding", name})
	}
	return b.String()
}
