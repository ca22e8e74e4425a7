package object

import (
	"fmt"
	"strings"
)

const (
	maxLabelLength     = 63  // bytes of a DNS label, a label's value or the name part of a label's key
	maxSubdomainLength = 253 // bytes of a DNS subdomain
)

const (
	subdomainRule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character" +
		` (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	dnsLabelRule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character" +
		" (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
	dns1035LabelRule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character" +
		" (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	labelKeyRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
		" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	labelValueRule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character" +
		" (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

// ValidateSubdomainName checks a name that must be a DNS-1123 subdomain, which is
// what most kinds want. With prefix it checks a generateName, which may end in a
// dash. The result says what is wrong, in the API's words; it is nil if nothing is.
func ValidateSubdomainName(name string, prefix bool) []string {
	return subdomainProblems(maskDash(name, prefix), "characters")
}

// ValidateLabelName checks a name that must be a DNS-1123 label, such as that of a
// namespace; otherwise it is like [ValidateSubdomainName].
func ValidateLabelName(name string, prefix bool) []string {
	name = maskDash(name, prefix)
	problems := lengthProblem(name, maxLabelLength, "characters")
	switch {
	case isDNSLabel(name):
		return problems
	case isSubdomain(name):
		return append(problems, "must not contain dots")
	}
	return append(problems, dnsLabelRule)
}

// ValidateDNS1035Name checks a name that must be a DNS-1035 label, such as that of
// a service; otherwise it is like [ValidateSubdomainName].
func ValidateDNS1035Name(name string, prefix bool) []string {
	name = maskDash(name, prefix)
	problems := lengthProblem(name, maxLabelLength, "characters")
	if isDNSLabel(name) && !isDigit(name[0]) {
		return problems
	}
	return append(problems, dns1035LabelRule)
}

// ValidatePathSegmentName checks a name that must only fit into a path, such as
// that of a role; otherwise it is like [ValidateSubdomainName].
func ValidatePathSegmentName(name string, prefix bool) []string {
	if !prefix && (name == "." || name == "..") {
		return []string{"may not be '" + name + "'"}
	}
	var problems []string
	for _, c := range []string{"/", "%"} {
		if strings.Contains(name, c) {
			problems = append(problems, "may not contain '"+c+"'")
		}
	}
	return problems
}

// ValidateLabelKey checks the key of a label, which is what the API calls a
// qualified name: an optional DNS subdomain with a slash, and a name. The result
// says what is wrong, in the API's words.
func ValidateLabelKey(key string) []string {
	var problems []string
	prefix, name, found := strings.Cut(key, "/")
	switch {
	case !found:
		name = key
	case strings.Contains(name, "/"):
		return []string{"a valid label key " + labelKeyRule + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	case prefix == "":
		problems = append(problems, "prefix part must be non-empty")
	default:
		for _, problem := range subdomainProblems(prefix, "bytes") {
			problems = append(problems, "prefix part "+problem)
		}
	}
	if name == "" {
		problems = append(problems, "name part must be non-empty")
	}
	for _, problem := range lengthProblem(name, maxLabelLength, "bytes") {
		problems = append(problems, "name part "+problem)
	}
	if !isLabelText(name) {
		problems = append(problems, "name part "+labelKeyRule)
	}
	return problems
}

// ValidateLabelValue checks the value of a label. The result says what is wrong,
// in the API's words.
func ValidateLabelValue(value string) []string {
	problems := lengthProblem(value, maxLabelLength, "bytes")
	if value != "" && !isLabelText(value) {
		problems = append(problems, labelValueRule)
	}
	return problems
}

func subdomainProblems(name, unit string) []string {
	problems := lengthProblem(name, maxSubdomainLength, unit)
	if !isSubdomain(name) {
		problems = append(problems, subdomainRule)
	}
	return problems
}

// lengthProblem counts bytes. The API calls them characters in some messages.
func lengthProblem(s string, limit int, unit string) []string {
	if len(s) <= limit {
		return nil
	}
	return []string{fmt.Sprintf("must be no more than %d %s", limit, unit)}
}

// maskDash makes of a prefix that ends in a dash what stands for the name made from
// it. It drops the letter in front of the dash, as the API does.
func maskDash(name string, prefix bool) string {
	if prefix && len(name) > 1 && strings.HasSuffix(name, "-") {
		return name[:len(name)-2] + "a"
	}
	return name
}

func isSubdomain(s string) bool {
	for {
		label, rest, found := strings.Cut(s, ".")
		if !isDNSLabel(label) {
			return false
		}
		if !found {
			return true
		}
		s = rest
	}
}

func isDNSLabel(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && (c < 'a' || c > 'z') && c != '-' {
			return false
		}
	}
	return true
}

// isLabelText says whether s is [A-Za-z0-9._-]+ with a letter or digit at both ends.
func isLabelText(s string) bool {
	if s == "" || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
