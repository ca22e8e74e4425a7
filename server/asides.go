package server

import (
	"maps"
	"net/http"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// asides are what a request has to tell beside its answer.
type asides struct {
	warnings    warnings
	annotations map[string]string // for the audit log
	trace       *admission.Trace  // nil if the client wants none
}

func (a *asides) warn(text string) { a.warnings.add(text) }

// annotate takes facts in; the first of a key stays.
func (a *asides) annotate(more map[string]string) {
	if len(more) == 0 {
		return
	}
	all := maps.Clone(more)
	maps.Copy(all, a.annotations)
	a.annotations = all
}

// copyForTrace keeps a document as it is, if the request is traced.
func (a *asides) copyForTrace(o object.Object) object.Object {
	if a.trace == nil {
		return nil
	}
	return o.DeepCopy()
}

// apart gives the asides of one of several parts of a request, which run side by side.
func (a *asides) apart() asides {
	if a.trace == nil {
		return asides{}
	}
	return asides{trace: &admission.Trace{}}
}

// join takes in those of a part that is done.
func (a *asides) join(part *asides) {
	for _, text := range part.warnings.texts {
		a.warn(text)
	}
	a.annotate(part.annotations)
	if a.trace != nil {
		a.trace.Steps = append(a.trace.Steps, part.trace.Steps...)
	}
}

// The headers by which a client asks what happens to its request, and learns it: each line of
// the [admission.Trace] is a value.
const (
	headerExplain = "Plinth-Explain"
	headerTrace   = "Plinth-Trace"
)

// maxTrace is how many bytes of a trace are sent; clients bound the headers they take.
const maxTrace = 16 << 10

// writeTo sets the headers.
func (a *asides) writeTo(h http.Header) {
	a.warnings.writeTo(h)
	if a.trace == nil {
		return
	}
	room := maxTrace
	for i := range a.trace.Steps {
		for _, line := range a.trace.Steps[i].Lines() {
			line = headerText(line)
			if room -= len(line); room < 0 {
				h.Add(headerTrace, "and more")
				return
			}
			h.Add(headerTrace, line)
		}
	}
}

// headerText makes a text one that a header can hold.
func headerText(text string) string {
	out := []rune(text)
	for i, r := range out {
		if isControl(r) {
			out[i] = ' '
		}
	}
	return string(out)
}
