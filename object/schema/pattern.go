package schema

import (
	"fmt"
	"regexp"
	"sync"
)

// Pattern is a regular expression in the syntax of package regexp, compiled on first
// use. Equal patterns of a schema are one Pattern.
type Pattern struct {
	Source string

	once    sync.Once
	regexp  *regexp.Regexp
	problem error
}

// Regexp compiles the pattern, or gives the result of the first time.
func (p *Pattern) Regexp() (*regexp.Regexp, error) {
	p.once.Do(func() {
		if p.regexp, p.problem = regexp.Compile(p.Source); p.problem != nil {
			p.problem = fmt.Errorf("compiling pattern %q: %w", p.Source, p.problem)
		}
	})
	return p.regexp, p.problem
}

// String gives the source; nil is the empty pattern.
func (p *Pattern) String() string {
	if p == nil {
		return ""
	}
	return p.Source
}
