package schema

import (
	"errors"
	"fmt"
	"strings"
)

// FieldPath resolves the path that a rule gives for its errors: fields with dots in
// front, as in ".spec.name", and fields or keys of maps in brackets and single
// quotes, as in ".labels['a.b']". It returns the path as fields of errors have it,
// such as "labels[a.b]", and the schema found there, nil for a key of any value.
func (s *Schema) FieldPath(path string) (field string, found *Schema, err error) {
	rest := path
	for rest != "" {
		var token, name string
		token, rest = pathToken(rest)
		switch token {
		case ".":
			if rest == "" {
				return "", nil, errors.New("unexpected end of JSON path")
			}
			name, rest = pathToken(rest)
		case "[":
			if name, rest, err = bracketed(rest); err != nil {
				return "", nil, err
			}
		default:
			return "", nil, fmt.Errorf("expected [ or . but got: %s", token)
		}
		named := s != nil && len(s.Properties) > 0
		switch {
		case named && s.Property(name) != nil:
			field, s = child(field, name), s.Property(name)
		case !named && s != nil && s.AdditionalProperties != nil:
			field, s = keyed(field, name), s.AdditionalProperties.Schema
		default:
			return "", nil, errors.New("does not refer to a valid field")
		}
	}
	return field, s, nil
}

// bracketed reads the quoted name and the closing bracket behind an opening one.
func bracketed(path string) (name, rest string, err error) {
	token, rest := pathToken(path)
	switch {
	case token == "":
		return "", "", errors.New("unexpected end of JSON path")
	case len(token) < 2 || token[0] != '\'' || token[len(token)-1] != '\'':
		return "", "", fmt.Errorf("expected single quoted string but got %s", token)
	}
	if name, err = unquote(token[1 : len(token)-1]); err != nil {
		return "", "", fmt.Errorf("invalid string literal: %w", err)
	}
	token, rest = pathToken(rest)
	switch token {
	case "]":
		return name, rest, nil
	case "":
		return "", "", errors.New("unexpected end of JSON path")
	}
	return "", "", fmt.Errorf("expected ] but got %s", token)
}

// pathToken cuts off a dot, a bracket, a text in quotes or the text up to any of these.
func pathToken(s string) (token, rest string) {
	if strings.HasPrefix(s, "'") {
		for i := 1; i < len(s); i++ {
			if s[i] == '\'' && s[i-1] != '\\' {
				return s[:i+1], s[i+1:]
			}
		}
		return s, ""
	}
	switch i := strings.IndexAny(s, ".[]"); i {
	case -1:
		return s, ""
	case 0:
		return s[:1], s[1:]
	default:
		return s[:i], s[i:]
	}
}

// unquote resolves the escapes of a quoted text.
func unquote(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) || s[i+1] == '\n' {
			b.WriteByte(s[i])
			continue
		}
		i++
		at := strings.IndexByte(`abfnrtv'\`, s[i])
		if at < 0 {
			return "", fmt.Errorf("invalid escape char \\%c", s[i])
		}
		b.WriteByte("\a\b\f\n\r\t\v'\\"[at])
	}
	return b.String(), nil
}
