package builtin

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// RegardingEvents describes events.k8s.io/v1 Events, which show the objects of
// [Events] under other names of fields and with stricter rules.
func RegardingEvents() server.Resource {
	return server.Resource{
		Group: "events.k8s.io", Plural: "events", Kind: "Event", ShortNames: []string{"ev"}, Namespaced: true,
		Versions: []server.Version{{
			Name:       "v1",
			Codec:      Codec[eventsv1.Event](),
			Columns:    eventColumns(),
			FromStored: regardingFromStored,
			ToStored:   regardingToStored,
		}},
		Collection:     object.GroupResource{Resource: "events"},
		TTL:            eventLife,
		Fields:         eventFields("regarding", "reportingController", ""),
		CreateOnUpdate: true,
		Rules:          server.Rules{Validate: validateRegardingEvent},
	}
}

// regardingNames pairs the fields of the stored form with those of the view.
var regardingNames = [...]struct{ stored, view string }{
	{"involvedObject", "regarding"},
	{"message", "note"},
	{"reportingComponent", "reportingController"},
	{"source", "deprecatedSource"},
	{"firstTimestamp", "deprecatedFirstTimestamp"},
	{"lastTimestamp", "deprecatedLastTimestamp"},
	{"count", "deprecatedCount"},
}

func regardingFromStored(o object.Object) (object.Object, error) {
	view := maps.Clone(o)
	for _, name := range regardingNames {
		delete(view, name.stored)
	}
	for _, name := range regardingNames {
		if v, ok := o[name.stored]; ok {
			view[name.view] = v
		}
	}
	dropEmpty(view, "reportingController")
	dropEmpty(view, "reportingInstance")
	return view, nil
}

func regardingToStored(view object.Object) (object.Object, error) {
	o := maps.Clone(view)
	for _, name := range regardingNames {
		delete(o, name.view)
	}
	for _, name := range regardingNames {
		if v, ok := view[name.view]; ok {
			o[name.stored] = v
		}
	}
	// These the stored form shows even when they are empty.
	for _, name := range []string{"reportingComponent", "reportingInstance"} {
		if _, ok := o[name]; !ok {
			o[name] = ""
		}
	}
	return o, nil
}

func dropEmpty(o object.Object, name string) {
	if o[name] == "" {
		delete(o, name)
	}
}

// withZeros shows what an event leaves out as messages do, that of another value.
func withZeros(o object.Object) object.Object {
	shown := maps.Clone(o)
	for _, name := range []string{"reason", "message", "type", "action"} {
		if shown[name] == nil {
			shown[name] = ""
		}
	}
	if shown["count"] == nil {
		shown["count"] = int64(0)
	}
	return shown
}

// validateRegardingEvent is validateEvent and more: a new event has the new
// fields only, and a later write may change nothing but the series.
func validateRegardingEvent(next, old object.Object) object.FieldErrors {
	errs := validateEvent(next, "reportingController")
	if old == nil {
		errs = append(errs, checkSeries(next)...)
		return append(errs, checkNewFields(next)...)
	}
	if !object.EqualValues(mapping(next, "series"), mapping(old, "series")) {
		errs = append(errs, checkSeries(next)...)
	}
	shown, was := withZeros(next), withZeros(old)
	for _, name := range []string{
		"involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp",
		"count", "type", "eventTime", "action", "related",
	} {
		errs = append(errs, unchanged(shown, was, name, name)...)
	}
	errs = append(errs, unchanged(next, old, "reportingComponent", "reportingController")...)
	return append(errs, unchanged(next, old, "reportingInstance", "reportingInstance")...)
}

func checkSeries(o object.Object) object.FieldErrors {
	if mapping(o, "series") == nil {
		return nil
	}
	var errs object.FieldErrors
	if number(o, "series", "count") < 2 {
		errs = append(errs, object.InvalidField("series.count", "", "should be at least 2"))
	}
	if text(o, "series", "lastObservedTime") == "" {
		errs = append(errs, object.RequiredField("series.lastObservedTime", ""))
	}
	return errs
}

func checkNewFields(o object.Object) object.FieldErrors {
	var errs object.FieldErrors
	if text(o, "eventTime") == "" {
		errs = append(errs, object.RequiredField("eventTime", ""))
	}
	if t := text(o, "type"); t != corev1.EventTypeNormal && t != corev1.EventTypeWarning {
		errs = append(errs, object.InvalidField("type", "", "has invalid value: "+t))
	}
	for _, name := range []string{"firstTimestamp", "lastTimestamp"} {
		if text(o, name) != "" {
			errs = append(errs, object.InvalidField(name, "", "needs to be unset"))
		}
	}
	if number(o, "count") != 0 {
		errs = append(errs, object.InvalidField("count", "", "needs to be unset"))
	}
	if text(o, "source", "component") != "" || text(o, "source", "host") != "" {
		errs = append(errs, object.InvalidField("source", "", "needs to be unset"))
	}
	return errs
}

func checkReporter(field, name string) object.FieldErrors {
	var errs object.FieldErrors
	if name == "" {
		errs = append(errs, object.RequiredField(field, ""))
	}
	for _, detail := range validation.IsQualifiedName(name) {
		errs = append(errs, object.InvalidField(field, name, detail))
	}
	return errs
}

func checkLength(field, value string, limit int) object.FieldErrors {
	if len(value) <= limit {
		return nil
	}
	return object.FieldErrors{object.InvalidField(field, "", fmt.Sprintf("can have at most %d characters", limit))}
}
