package object

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseLabelSelector reads a selector as the API writes it: "a=b,c!=d,e in (f,g),!h,i>5".
// Errors are worded as the API words them.
func ParseLabelSelector(s string) (LabelSelector, error) {
	p := labelParser{text: s}
	p.advance()
	var requirements []labelRequirement
	for p.token.kind != endToken {
		if len(requirements) == 0 && !p.startsRequirement() {
			return LabelSelector{}, fmt.Errorf("found '%s', expected: !, identifier, or 'end of string'", p.token.text)
		}
		r, err := p.requirement()
		if err != nil {
			return LabelSelector{}, fmt.Errorf("unable to parse requirement: %w", err)
		}
		requirements = append(requirements, r)
		if p.token.kind == endToken {
			break
		}
		if !p.take(",") {
			return LabelSelector{}, fmt.Errorf("found '%s', expected: ',' or 'end of string'", p.token.text)
		}
		if !p.startsRequirement() {
			return LabelSelector{}, fmt.Errorf("found '%s', expected: identifier after ','", p.token.text)
		}
	}
	return newLabelSelector(requirements), nil
}

type labelTokenKind int

const (
	endToken    labelTokenKind = iota
	wordToken                  // also in and notin
	symbolToken                // ! = == != < > ( ) ,
)

type labelToken struct {
	kind labelTokenKind
	text string
}

// labelParser looks at one token at a time.
type labelParser struct {
	text  string
	pos   int
	token labelToken
}

// advance puts the next token into p.token. A zero byte ends the text, as it does in the API.
func (p *labelParser) advance() {
	for p.pos < len(p.text) && isLabelSpace(p.text[p.pos]) {
		p.pos++
	}
	start := p.pos
	switch {
	case p.pos == len(p.text) || p.text[p.pos] == 0:
		p.token = labelToken{}
		p.pos = len(p.text)
		return
	case isLabelSymbol(p.text[p.pos]):
		p.pos++
		if c := p.text[start]; (c == '=' || c == '!') && p.pos < len(p.text) && p.text[p.pos] == '=' {
			p.pos++
		}
		p.token = labelToken{symbolToken, p.text[start:p.pos]}
	default:
		for p.pos < len(p.text) && isLabelWord(p.text[p.pos]) {
			p.pos++
		}
		p.token = labelToken{wordToken, p.text[start:p.pos]}
	}
	if p.pos < len(p.text) && p.text[p.pos] == 0 {
		p.pos++ // one that follows a token separates
	}
}

func isLabelSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isLabelSymbol(c byte) bool { return strings.IndexByte("=!(),<>", c) >= 0 }

func isLabelWord(c byte) bool { return c != 0 && !isLabelSpace(c) && !isLabelSymbol(c) }

func (p *labelParser) is(symbol string) bool {
	return p.token.kind == symbolToken && p.token.text == symbol
}

func (p *labelParser) take(symbol string) bool {
	if !p.is(symbol) {
		return false
	}
	p.advance()
	return true
}

func (p *labelParser) startsRequirement() bool { return p.token.kind == wordToken || p.is("!") }

func (p *labelParser) requirement() (labelRequirement, error) {
	absent := p.take("!")
	if p.token.kind != wordToken {
		return labelRequirement{}, fmt.Errorf("found '%s', expected: identifier", p.token.text)
	}
	key := p.token.text
	p.advance()
	if problems := ValidateLabelKey(key); len(problems) > 0 {
		// The API has no path to name here, and says so.
		return labelRequirement{}, InvalidField("<nil>", key, strings.Join(problems, "; "))
	}
	switch {
	case absent:
		return newLabelRequirement(key, labelAbsent, nil)
	case p.token.kind == endToken || p.is(","):
		return newLabelRequirement(key, labelExists, nil)
	}
	operator, err := p.operator()
	if err != nil {
		return labelRequirement{}, err
	}
	values, err := p.values(operator)
	if err != nil {
		return labelRequirement{}, err
	}
	return newLabelRequirement(key, operator, values)
}

func (p *labelParser) operator() (labelOperator, error) {
	text := p.token.text
	switch text {
	case "in", "notin", "=", "==", "!=":
		p.advance()
		return labelOperator(text), nil
	case ">":
		p.advance()
		return labelGreater, nil
	case "<":
		p.advance()
		return labelLess, nil
	}
	return "", fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", text)
}

func (p *labelParser) values(operator labelOperator) ([]string, error) {
	if operator == labelIn || operator == labelNotIn {
		return p.set()
	}
	value := ""
	switch {
	case p.token.kind == wordToken:
		value = p.token.text
		p.advance()
	case p.token.kind == symbolToken && !p.is(","):
		return nil, fmt.Errorf("found '%s', expected: identifier", p.token.text)
	}
	return []string{value}, nil
}

// set reads the values in parentheses. Nothing between two commas, or a comma and
// a parenthesis, is the empty value.
func (p *labelParser) set() ([]string, error) {
	if !p.take("(") {
		return nil, fmt.Errorf("found '%s' expected: '('", p.token.text)
	}
	if p.token.kind != wordToken && !p.is(",") && !p.is(")") {
		return nil, fmt.Errorf("found '%s', expected: ',', ')' or identifier", p.token.text)
	}
	var values []string
	for {
		switch {
		case p.token.kind == wordToken:
			values = append(values, p.token.text)
			p.advance()
			if !p.is(",") && !p.is(")") {
				return nil, fmt.Errorf("found '%s', expected: ',' or ')'", p.token.text)
			}
		case p.is(",") || p.is(")"):
			values = append(values, "")
		default:
			return nil, fmt.Errorf("found '%s', expected: ',', or identifier", p.token.text)
		}
		if p.take(")") {
			slices.Sort(values)
			return slices.Compact(values), nil
		}
		p.advance()
	}
}

// newLabelRequirement checks a requirement as the API does; the error is a
// [FieldErrors] with paths relative to the requirement.
func newLabelRequirement(key string, operator labelOperator, values []string) (labelRequirement, error) {
	r := labelRequirement{key: key, operator: operator, values: values}
	var errs FieldErrors
	if problems := ValidateLabelKey(key); len(problems) > 0 {
		errs = append(errs, InvalidField("key", key, strings.Join(problems, "; ")))
	}
	switch operator {
	case labelIn, labelNotIn:
		if len(values) == 0 {
			errs = append(errs, InvalidField("values", values, "for 'in', 'notin' operators, values set can't be empty"))
		}
	case labelExists, labelAbsent:
		if len(values) != 0 {
			errs = append(errs, InvalidField("values", values, "values set must be empty for exists and does not exist"))
		}
	case labelGreater, labelLess:
		bound, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			errs = append(errs, InvalidField("values[0]", values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
		}
		r.bound = bound
	}
	for i, v := range values {
		if problems := ValidateLabelValue(v); len(problems) > 0 {
			errs = append(errs, InvalidField(fmt.Sprintf("values[%d][%s]", i, key), v, strings.Join(problems, "; ")))
		}
	}
	if len(errs) > 0 {
		return labelRequirement{}, errs
	}
	return r, nil
}
