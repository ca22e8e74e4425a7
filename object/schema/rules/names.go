package rules

import "strings"

// Escape gives the name that a field has in rules: "a-b" is a__dash__b, "in" is
// __in__. ok is false for names that rules cannot reach.
func Escape(field string) (name string, ok bool) {
	if field == "" || '0' <= field[0] && field[0] <= '9' {
		return "", false
	}
	if isReserved(field) {
		return "__" + field + "__", true
	}
	for i := range len(field) {
		if c := field[i]; !isNameChar(c) && c != '.' && c != '-' && c != '/' {
			return "", false
		}
	}
	if strings.ContainsAny(field, ".-/") || strings.Contains(field, "__") {
		return escapes.Replace(field), true
	}
	return field, true
}

var escapes = strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__")

// Unescape gives the field that a name in rules stands for. ok is false if there can be none.
func Unescape(name string) (field string, ok bool) {
	if !strings.Contains(name, "__") {
		return name, true
	}
	var b strings.Builder
	for rest := name; rest != ""; {
		escape, ok := escapeAt(rest)
		if !ok {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		switch escape {
		case "underscores":
			b.WriteString("__")
		case "dot":
			b.WriteByte('.')
		case "dash":
			b.WriteByte('-')
		case "slash":
			b.WriteByte('/')
		default:
			return escape, isReserved(escape) && len(name) == len(escape)+4
		}
		rest = rest[len(escape)+4:]
	}
	return b.String(), true
}

// escapeAt gives the escape at the beginning: what stands, without underscores, between
// two and two of them.
func escapeAt(s string) (escape string, ok bool) {
	if !strings.HasPrefix(s, "__") {
		return "", false
	}
	end := strings.IndexByte(s[2:], '_')
	if end < 1 || !strings.HasPrefix(s[2+end:], "__") {
		return "", false
	}
	return s[2 : 2+end], true
}

func isNameChar(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isReserved(name string) bool {
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
		"import", "let", "loop", "package", "namespace", "return", "var", "void", "while":
		return true
	}
	return false
}
