package admission

import (
	"fmt"
	"strings"
)

// Trace tells what happened to a request on its way. It costs something, so that it is kept
// only for a [Request] that has one.
type Trace struct {
	Steps []Step
	open  *Step // that notes go to
}

// Step is what one stage did.
type Step struct {
	Stage    string
	Mutates  bool     // whether it could change the object
	Again    bool     // whether this was its second call
	Changed  bool     // whether it did change the object
	Warnings []string // that it added
	Notes    []string // what it said about itself
	Err      error    // why it refused the request
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
	t.Steps = append(t.Steps, step)
	return step.Err
}

// Note lets a stage tell what it is doing, if anybody asked.
func (r *Request) Note(format string, args ...any) {
	if r.Trace != nil && r.Trace.open != nil {
		r.Trace.open.Notes = append(r.Trace.open.Notes, fmt.Sprintf(format, args...))
	}
}

// String gives a line for each step and, below it, one for each note and warning.
func (t *Trace) String() string {
	var b strings.Builder
	for i := range t.Steps {
		t.Steps[i].write(&b)
	}
	return b.String()
}

func (s *Step) write(b *strings.Builder) {
	b.WriteString(s.Stage)
	if s.Again {
		b.WriteString(" again")
	}
	switch {
	case s.Err != nil:
		b.WriteString(": refused: " + s.Err.Error())
	case s.Changed:
		b.WriteString(": changed the object")
	case s.Mutates:
		b.WriteString(": changed nothing")
	default:
		b.WriteString(": passed")
	}
	b.WriteByte('\n')
	for _, note := range s.Notes {
		b.WriteString("  " + note + "\n")
	}
	for _, w := range s.Warnings {
		b.WriteString("  warning: " + w + "\n")
	}
}
