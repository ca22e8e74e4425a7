package expr

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object"
)

var formatType = cel.ObjectType("kubernetes.NamedFormat")

var formatKind = &kind[*format]{
	celType: formatType,
	equal:   func(a, b *format) bool { return a == b },
}

// format is a form of text that has a name.
type format struct {
	name     string // of the function that gives it
	size     int    // length of a regular expression that does the same, for the cost
	problems func(string) []string
}

var namedFormats = []*format{
	{"dns1123Label", 30, func(s string) []string { return object.ValidateLabelName(s, false) }},
	{"dns1123Subdomain", 60, func(s string) []string { return object.ValidateSubdomainName(s, false) }},
	{"dns1035Label", 30, func(s string) []string { return object.ValidateDNS1035Name(s, false) }},
	{"qualifiedName", 60, object.ValidateLabelKey},
	{"dns1123LabelPrefix", 30, func(s string) []string { return object.ValidateLabelName(s, true) }},
	{"dns1123SubdomainPrefix", 60, func(s string) []string { return object.ValidateSubdomainName(s, true) }},
	{"dns1035LabelPrefix", 30, func(s string) []string { return object.ValidateDNS1035Name(s, true) }},
	{"labelValue", 40, object.ValidateLabelValue},
	{"uri", 1103, uriProblems},
	{"uuid", 70, problemUnless(uuidPattern.MatchString, "does not match the UUID format")},
	{"byte", 84, problemUnless(base64Pattern.MatchString, "invalid base64")},
	{"date", 71, problemUnless(isDate, "invalid date")},
	{"datetime", 71, problemUnless(isDateTime, "invalid datetime")},
}

var (
	uuidPattern   = regexp.MustCompile(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)
	base64Pattern = regexp.MustCompile(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$`)
	timePattern   = regexp.MustCompile(`^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`)
)

// formats are the functions that give a format by its name, and the one that checks a text.
func formats() []function {
	functions := []function{
		fn("validate", cel.MemberOverload("format-validate", args(formatType, cel.StringType), cel.OptionalType(cel.ListType(cel.StringType)),
			binary(unwrap, text, checkFormat))),
		fn("format.named", cel.Overload("format-named", args(cel.StringType), cel.OptionalType(formatType), unary(text, findFormat))),
	}
	for _, f := range namedFormats {
		name := "format." + f.name
		functions = append(functions, fn(name, cel.Overload(name, nil, formatType,
			cel.FunctionBinding(func(...ref.Val) ref.Val { return formatKind.val(f) }))))
	}
	return functions
}

func checkFormat(f *format, s string) ref.Val {
	problems := f.problems(s)
	if len(problems) == 0 {
		return types.OptionalNone
	}
	return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, problems))
}

func findFormat(name string) ref.Val {
	for _, f := range namedFormats {
		if f.name == name {
			return types.OptionalOf(formatKind.val(f))
		}
	}
	return types.OptionalNone
}

func uriProblems(s string) []string {
	if _, err := url.ParseRequestURI(s); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func problemUnless(ok func(string) bool, problem string) func(string) []string {
	return func(s string) []string {
		if ok(s) {
			return nil
		}
		return []string{problem}
	}
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isDateTime(s string) bool {
	parts := strings.Split(strings.ToLower(s), "t")
	if len(parts) < 2 || !isDate(parts[0]) {
		return false
	}
	m := timePattern.FindStringSubmatch(parts[1])
	return m != nil && m[1] <= "23" && m[2] <= "59" && m[3] <= "59"
}
