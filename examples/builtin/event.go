package builtin

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// eventLife is how long an event is kept after it was last written.
const eventLife = time.Hour

// Events describes v1 Events, the stored form of all events.
func Events() server.Resource {
	return server.Resource{
		Plural: "events", Kind: "Event", ShortNames: []string{"ev"}, Namespaced: true,
		Versions: []server.Version{{
			Name:    "v1",
			Codec:   Codec[corev1.Event](),
			Columns: eventColumns(),
		}},
		TTL:            eventLife,
		Fields:         eventFields("involvedObject", "reportingComponent", "source"),
		ValidateName:   object.ValidatePathSegmentName,
		CreateOnUpdate: true,
		NoDependents:   true,
		Rules: server.Rules{Validate: func(next, _ object.Object) object.FieldErrors {
			return validateEvent(next, "reportingComponent")
		}},
	}
}

// eventFields are the selectable fields, under the names of one view. All of them
// are read from the stored form. A source of "" leaves that field out.
func eventFields(about, reporter, source string) map[string]func(object.Object) string {
	fields := map[string]func(object.Object) string{
		"reason": textField("reason"),
		"type":   textField("type"),
		reporter: textField("reportingComponent"),
	}
	for _, name := range []string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
		fields[about+"."+name] = textField("involvedObject", name)
	}
	if source != "" {
		fields[source] = eventComponent
	}
	return fields
}

// eventComponent is who reported an event, by the old field or the new one.
func eventComponent(o object.Object) string {
	if component := text(o, "source", "component"); component != "" {
		return component
	}
	return text(o, "reportingComponent")
}

func eventSource(o object.Object) string {
	instance := text(o, "source", "host")
	if instance == "" {
		instance = text(o, "reportingInstance")
	}
	if instance == "" {
		return eventComponent(o)
	}
	return eventComponent(o) + ", " + instance
}

func eventColumns() []server.Column {
	column := func(name, description string, priority int32, value func(object.Object) any) server.Column {
		return server.Column{Name: name, Type: "string", Description: description, Priority: priority, Value: value}
	}
	name := column("Name", "The name of the event.", 1, func(o object.Object) any { return o.Name() })
	name.Format = "name"
	return []server.Column{
		column("Last Seen", "How long ago it was seen last.", 0, func(o object.Object) any { return lastSeen(o) }),
		column("Type", "Normal or Warning.", 0, func(o object.Object) any { return text(o, "type") }),
		column("Reason", "Why it came about, in a word.", 0, func(o object.Object) any { return text(o, "reason") }),
		column("Object", "The kind and name of what it is about.", 0, func(o object.Object) any { return eventTarget(o) }),
		column("Subobject", "The part of the object that it is about.", 1, func(o object.Object) any {
			return text(o, "involvedObject", "fieldPath")
		}),
		column("Source", "Who reports it.", 1, func(o object.Object) any { return eventSource(o) }),
		column("Message", "What happened.", 0, func(o object.Object) any { return strings.TrimSpace(text(o, "message")) }),
		column("First Seen", "How long ago it was seen first.", 1, func(o object.Object) any { return firstSeen(o) }),
		column("Count", "How often it was seen.", 1, func(o object.Object) any { return eventCount(o) }),
		name,
	}
}

func eventTarget(o object.Object) string {
	kind := strings.ToLower(text(o, "involvedObject", "kind"))
	if name := text(o, "involvedObject", "name"); name != "" {
		return kind + "/" + name
	}
	return kind
}

func firstSeen(o object.Object) string {
	if first := text(o, "firstTimestamp"); first != "" {
		return since(first)
	}
	return since(text(o, "eventTime"))
}

func lastSeen(o object.Object) string {
	if mapping(o, "series") != nil {
		return since(text(o, "series", "lastObservedTime"))
	}
	if last := text(o, "lastTimestamp"); last != "" {
		return since(last)
	}
	return firstSeen(o)
}

func eventCount(o object.Object) int64 {
	if mapping(o, "series") != nil {
		return number(o, "series", "count")
	}
	return max(number(o, "count"), 1)
}

// The lengths that the texts of an event may have, in bytes.
const (
	maxEventWord = 128
	maxEventNote = 1024
)

// validateEvent holds for both views. An event without eventTime is one of the
// old sort, of which little is asked. reporter is what the view calls the field.
func validateEvent(o object.Object, reporter string) object.FieldErrors {
	about := text(o, "involvedObject", "namespace")
	mismatch := object.FieldErrors{object.InvalidField("involvedObject.namespace", about, "does not match event.namespace")}
	if text(o, "eventTime") == "" {
		if o.Namespace() == about || about == "" && o.Namespace() == corev1.NamespaceDefault {
			return nil
		}
		return mismatch
	}
	var errs object.FieldErrors
	if about == "" && o.Namespace() != corev1.NamespaceDefault && o.Namespace() != "kube-system" {
		errs = mismatch
	}
	errs = append(errs, checkReporter(reporter, text(o, "reportingComponent"))...)
	for _, name := range []string{"reportingInstance", "action", "reason"} {
		value := text(o, name)
		if value == "" {
			errs = append(errs, object.RequiredField(name, ""))
		}
		errs = append(errs, checkLength(name, value, maxEventWord)...)
	}
	return append(errs, checkLength("message", text(o, "message"), maxEventNote)...)
}
