package definition

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parsePath reads the path of a column: the inside of a template's action as kubectl
// has them, such as .spec.size, .items[0], .items[*].name, ['a.b'], ..name or
// .conditions[?(@.type=="Ready")].status.
func parsePath(expression string) (*path, error) {
	steps, err := parseTemplate("{" + expression + "}")
	if err != nil {
		return nil, fmt.Errorf("reading the path %s: %w", expression, err)
	}
	p := &path{steps: steps}
	for _, s := range steps {
		if s.kind != stepField {
			return p, nil
		}
		p.fields = append(p.fields, s.text)
	}
	return p, nil
}

// parseTemplate reads a template with at least one action and gives the first one,
// since a cell shows the first value. All that follows must be well-formed too.
func parseTemplate(template string) ([]step, error) {
	p := pathParser{input: template}
	var first []step
	for n := 0; ; n++ {
		i := strings.IndexByte(p.input[p.pos:], '{')
		if i < 0 {
			return first, nil
		}
		p.pos += i + 1
		steps, err := p.action()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			first = steps
		}
	}
}

type pathParser struct {
	input string
	pos   int
	steps []step
}

const endOfInput rune = -1

func (p *pathParser) next() rune {
	if p.pos >= len(p.input) {
		return endOfInput
	}
	r, size := utf8.DecodeRuneInString(p.input[p.pos:])
	p.pos += size
	return r
}

func (p *pathParser) peek() rune {
	at := p.pos
	r := p.next()
	p.pos = at
	return r
}

func (p *pathParser) skip(prefix string) bool {
	if !strings.HasPrefix(p.input[p.pos:], prefix) {
		return false
	}
	p.pos += len(prefix)
	return true
}

func (p *pathParser) add(s step) { p.steps = append(p.steps, s) }

// action reads up to the closing brace.
func (p *pathParser) action() ([]step, error) {
	p.steps = nil
	for !p.skip("}") {
		if err := p.step(); err != nil {
			return nil, err
		}
	}
	return slices.Clip(p.steps), nil
}

func (p *pathParser) step() error {
	switch {
	case p.skip("[?("):
		return p.filter()
	case p.skip(".."):
		return p.recursive()
	}
	start := p.pos
	switch r := p.next(); {
	case r == endOfInput || isEndOfLine(r):
		return errors.New("unclosed action")
	case r == ' ' || r == '@' || r == '$':
		return nil
	case r == '[':
		return p.array()
	case r == '"' || r == '\'':
		return p.quoted(start, r)
	case r == '.':
		p.field()
		return nil
	case r == '+' || r == '-' || unicode.IsDigit(r):
		p.pos = start
		return p.number()
	case isAlphanumeric(r):
		p.pos = start
		p.word()
		return nil
	default:
		return fmt.Errorf("unrecognized character in action: %#U", r)
	}
}

// field reads a name up to what ends it; a backslash keeps the next character from
// doing so.
func (p *pathParser) field() {
	start := p.pos
	for {
		at := p.pos
		r := p.next()
		if r == '\\' {
			p.next()
			continue
		}
		if isTerminator(r) {
			p.pos = at
			break
		}
	}
	name := p.input[start:p.pos]
	if name == "*" {
		p.add(step{kind: stepAll})
		return
	}
	p.add(step{kind: stepField, text: strings.ReplaceAll(name, `\`, "")})
}

func (p *pathParser) recursive() error {
	if n := len(p.steps); n > 0 && p.steps[n-1].kind == stepRecursive {
		return errors.New("invalid multiple recursive descent")
	}
	p.add(step{kind: stepRecursive})
	if isAlphanumeric(p.peek()) {
		p.field()
	}
	return nil
}

// word reads true, false or an identifier, of which columns can use none.
func (p *pathParser) word() {
	start := p.pos
	for !isTerminator(p.peek()) {
		p.next()
	}
	switch word := p.input[start:p.pos]; word {
	case "true", "false":
		p.add(step{kind: stepValue, value: word == "true"})
	default:
		p.add(step{kind: stepUnknown, text: word})
	}
}

func (p *pathParser) number() error {
	start := p.pos
	if r := p.peek(); r == '+' || r == '-' {
		p.next()
	}
	for r := p.peek(); r == '.' || unicode.IsDigit(r); r = p.peek() {
		p.next()
	}
	text := p.input[start:p.pos]
	if n, err := strconv.Atoi(text); err == nil {
		p.add(step{kind: stepValue, value: n})
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("cannot parse number %s", text)
	}
	p.add(step{kind: stepValue, value: f})
	return nil
}

func (p *pathParser) quoted(start int, quote rune) error {
	for {
		switch p.next() {
		case endOfInput, '\n':
			return errors.New("unterminated quoted string")
		case quote:
			if p.input[p.pos-2] == '\\' {
				continue
			}
			text, err := unquote(p.input[start+1:p.pos-1], byte(quote))
			if err != nil {
				return fmt.Errorf("unquote string %s error %w", p.input[start:p.pos], err)
			}
			p.add(step{kind: stepValue, value: text})
			return nil
		}
	}
}

func unquote(s string, quote byte) (string, error) {
	if !strings.ContainsAny(s, `\`+string(quote)) {
		return s, nil
	}
	var b []byte
	for len(s) > 0 {
		r, multibyte, rest, err := strconv.UnquoteChar(s, quote)
		if err != nil {
			return "", err
		}
		s = rest
		if r < utf8.RuneSelf || !multibyte {
			b = append(b, byte(r))
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), nil
}

// array reads what stands in brackets: an index, a slice, an asterisk, a quoted key
// or several of these with commas between.
func (p *pathParser) array() error {
	start := p.pos
	for {
		r := p.next()
		if r == endOfInput || r == '\n' {
			return errors.New("unterminated array")
		}
		if r == ']' {
			break
		}
	}
	inside := p.input[start : p.pos-1]
	if inside == "*" {
		inside = ":"
	}
	if strings.Contains(inside, ",") {
		return p.union(inside)
	}
	if key, ok := quotedKey(inside); ok {
		steps, err := parseTemplate("{." + key + "}")
		p.steps = append(p.steps, steps...)
		return err
	}
	s, err := parseSlice(inside)
	if err != nil {
		return err
	}
	p.add(s)
	return nil
}

func quotedKey(s string) (key string, ok bool) {
	if len(s) < 2 || s[0] != '\'' || s[len(s)-1] != '\'' || strings.Contains(s[1:len(s)-1], "'") {
		return "", false
	}
	return s[1 : len(s)-1], true
}

func (p *pathParser) union(inside string) error {
	var branches [][]step
	for part := range strings.SplitSeq(inside, ",") {
		steps, err := parseTemplate("{[" + strings.Trim(part, " ") + "]}")
		if err != nil {
			return err
		}
		branches = append(branches, steps)
	}
	p.add(step{kind: stepUnion, branches: branches})
	return nil
}

// comparisonForm is what stands on both sides of an operator.
var comparisonForm = regexp.MustCompile(`^([^!<>=]+)([!<>=]+)(.+?)$`)

// filter reads the condition behind "[?(".
func (p *pathParser) filter() error {
	inside, err := p.condition()
	if err != nil {
		return err
	}
	comparison := comparisonForm.FindStringSubmatch(inside)
	if comparison == nil {
		left, err := parseTemplate("{" + inside + "}")
		if err != nil {
			return err
		}
		p.add(step{kind: stepFilter, text: "exists", branches: [][]step{left}})
		return nil
	}
	left, err := parseTemplate("{" + comparison[1] + "}")
	if err != nil {
		return err
	}
	right, err := parseTemplate("{" + comparison[3] + "}")
	if err != nil {
		return err
	}
	p.add(step{kind: stepFilter, text: comparison[2], branches: [][]step{left, right}})
	return nil
}

// condition finds the end of a condition, in which a quoted text may hold brackets.
func (p *pathParser) condition() (string, error) {
	start := p.pos
	var opened, closed bool
	var quote rune
	for {
		switch r := p.next(); {
		case r == endOfInput || r == '\n':
			return "", errors.New("unterminated filter")
		case (r == '"' || r == '\'') && !opened:
			opened, quote = true, r
		case (r == '"' || r == '\'') && p.input[p.pos-2] != '\\' && r == quote:
			closed = true
		case r == ')' && opened == closed:
			inside := p.input[start : p.pos-1]
			if p.next() != ']' {
				return "", errors.New("unclosed array expect ]")
			}
			return inside, nil
		}
	}
}

var sliceForm = regexp.MustCompile(`^(-?\d*)(:-?\d*)?(:-?\d*)?$`)

// parseSlice reads an index or a slice with start, end and step.
func parseSlice(s string) (step, error) {
	parts := sliceForm.FindStringSubmatch(s)
	if parts == nil {
		return step{}, fmt.Errorf("invalid array index %s", s)
	}
	parsed := step{kind: stepSlice}
	for i, part := range parts[1:] {
		bound := &parsed.bounds[i]
		digits := strings.TrimPrefix(part, ":")
		switch {
		case digits != "":
			n, err := strconv.Atoi(digits)
			if err != nil {
				return step{}, fmt.Errorf("array index %s is not a number", digits)
			}
			bound.known, bound.n = true, n
		case i == 1 && part == "":
			bound.known, bound.derived, bound.n = true, true, parsed.bounds[0].n+1
		}
	}
	return parsed, nil
}

func isTerminator(r rune) bool {
	if r == endOfInput || isEndOfLine(r) {
		return true
	}
	return strings.ContainsRune(" \t.,[]$@{}", r)
}

func isEndOfLine(r rune) bool { return r == '\r' || r == '\n' }

func isAlphanumeric(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
