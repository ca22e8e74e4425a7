package admission

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Trace tells what happened to a request on its way. It costs something, so that it is kept
// only for a request that has one: the [Request] itself or, where a server makes that, the
// context of a call (see [WithTrace]).
type Trace struct {
	Steps []Step
	open  *Step // that notes go to
}

// Step is what one stage did.
type Step struct {
	Stage    string
	Mutates  bool     // whether it could change the object
	Again    bool     // whether this was its second call
	Changes  []string // that it made to the object: "set spec.size"
	Warnings []string // that it added
	Notes    []string // what it said about itself
	Err      error    // why it refused the request
}

type traceKey struct{}

// WithTrace asks whoever serves a call with the context to trace it.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf gives the trace that a context asks for, or nil.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// Compare records a step that made one document of another. A nil trace records nothing.
func (t *Trace) Compare(stage string, before, after object.Object) {
	if t != nil {
		t.Steps = append(t.Steps, Step{Stage: stage, Mutates: true, Changes: differences(before, after)})
	}
}

// Refuse records a step that refused the request, unless err is nil, which it returns. A nil
// trace records nothing.
func (t *Trace) Refuse(stage string, err error) error {
	if t != nil && err != nil {
		t.Steps = append(t.Steps, Step{Stage: stage, Err: err})
	}
	return err
}

// record runs a stage and appends its step; finish may complete it.
func (t *Trace) record(req *Request, step Step, run func() error, finish func(*Step)) error {
	before := len(req.warnings)
	t.open = &step
	step.Err = run()
	t.open = nil
	step.Warnings = append(step.Warnings, req.warnings[before:]...)
	if finish != nil {
		finish(&step)
	}
	if step.Again && step.silent() {
		return nil // a look that found nothing to do
	}
	t.Steps = append(t.Steps, step)
	return step.Err
}

// Note lets a stage tell what it is doing, if anybody asked.
func (r *Request) Note(format string, args ...any) {
	if r.Trace != nil && r.Trace.open != nil {
		r.Trace.open.Notes = append(r.Trace.open.Notes, fmt.Sprintf(format, args...))
	}
}

// String gives a line for each step and, below it, one for each change, note and warning.
func (t *Trace) String() string {
	var b strings.Builder
	for i := range t.Steps {
		for _, line := range t.Steps[i].Lines() {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Lines say what the step did: first in a word, then in detail, indented.
func (s *Step) Lines() []string {
	lines := []string{s.Stage + s.outcome()}
	for _, change := range s.Changes {
		lines = append(lines, "  "+change)
	}
	for _, note := range s.Notes {
		lines = append(lines, "  "+note)
	}
	for _, w := range s.Warnings {
		lines = append(lines, "  warning: "+w)
	}
	return lines
}

func (s *Step) silent() bool {
	return s.Err == nil && len(s.Changes)+len(s.Warnings)+len(s.Notes) == 0
}

func (s *Step) outcome() string {
	again := ""
	if s.Again {
		again = " again"
	}
	switch {
	case s.Err != nil:
		return again + ": refused: " + s.Err.Error()
	case len(s.Changes) > 0:
		return again + ": changed the object"
	case s.Mutates:
		return again + ": changed nothing"
	}
	return again + ": passed"
}
