//lint:file-ignore ST1005 errors are in the words of the API

package expr

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var semverType = cel.ObjectType("kubernetes.Semver")

var semverKind = &kind[version]{
	celType: semverType,
	equal:   func(a, b version) bool { return a.compare(b) == 0 },
}

// semvers are the functions on semantic versions.
func semvers() []function {
	compare := func(name, id string, result *cel.Type, test func(order int) ref.Val) function {
		return fn(name, cel.MemberOverload(id, args(semverType, semverType), result,
			binary(unwrap, unwrap, func(a, b version) ref.Val { return test(a.compare(b)) })))
	}
	number := func(name, id string, i int) function {
		return fn(name, cel.MemberOverload(id, args(semverType), cel.IntType,
			unary(unwrap, func(v version) ref.Val { return types.Int(v.numbers[i]) })))
	}
	return []function{
		fn("semver",
			cel.Overload("string_to_semver", args(cel.StringType), semverType, parsed(semverKind, parseVersion)),
			cel.Overload("string_bool_to_semver", args(cel.StringType, cel.BoolType), semverType, binary(text, boolean, semver))),
		fn("isSemver",
			cel.Overload("is_semver_string", args(cel.StringType), cel.BoolType, isValid(parseVersion)),
			cel.Overload("is_semver_string_bool", args(cel.StringType, cel.BoolType), cel.BoolType,
				binary(text, boolean, func(s string, normalize bool) ref.Val { return types.Bool(!types.IsError(semver(s, normalize))) }))),
		compare("isGreaterThan", "semver_is_greater_than", cel.BoolType, isGreater),
		compare("isLessThan", "semver_is_less_than", cel.BoolType, isLess),
		compare("compareTo", "semver_compare_to", cel.IntType, order),
		number("major", "semver_major", 0),
		number("minor", "semver_minor", 1),
		number("patch", "semver_patch", 2),
	}
}

func semver(s string, normalize bool) ref.Val {
	var err error
	if normalize {
		s, err = normalizeVersion(s)
	}
	var v version
	if err == nil {
		v, err = parseVersion(s)
	}
	if err != nil {
		return types.WrapErr(err)
	}
	return semverKind.val(v)
}

// version is a semantic version without its build metadata, which doesn't count.
type version struct {
	numbers    [3]uint64 // major, minor, patch
	prerelease []string
}

// compare orders by precedence.
func (v version) compare(w version) int {
	if order := slices.Compare(v.numbers[:], w.numbers[:]); order != 0 {
		return order
	}
	if v.prerelease == nil || w.prerelease == nil {
		return cmp.Compare(len(w.prerelease), len(v.prerelease)) // a release comes after its prereleases
	}
	return slices.CompareFunc(v.prerelease, w.prerelease, comparePrerelease)
}

// comparePrerelease puts numbers first, in their order. Numbers have no leading zeros.
func comparePrerelease(a, b string) int {
	aNumber, bNumber := only(a, digits), only(b, digits)
	switch {
	case aNumber && bNumber:
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case aNumber:
		return -1
	case bNumber:
		return 1
	}
	return cmp.Compare(a, b)
}

const (
	digits     = "0123456789"
	identifier = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-" + digits
)

func only(s, chars string) bool { return strings.Trim(s, chars) == "" }

func parseVersion(s string) (version, error) {
	var v version
	if s == "" {
		return v, errors.New("Version string empty")
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) != 3 {
		return v, errors.New("No Major.Minor.Patch elements found")
	}
	patch, build, hasBuild := strings.Cut(parts[2], "+")
	patch, prerelease, hasPrerelease := strings.Cut(patch, "-")
	parts[2] = patch
	for i, name := range [...]string{"Major", "Minor", "Patch"} {
		var err error
		if v.numbers[i], err = versionNumber(name, parts[i]); err != nil {
			return v, err
		}
	}
	if hasPrerelease {
		v.prerelease = strings.Split(prerelease, ".")
		for _, p := range v.prerelease {
			if err := checkPrerelease(p); err != nil {
				return v, err
			}
		}
	}
	if hasBuild {
		return v, checkBuild(build)
	}
	return v, nil
}

func versionNumber(name, s string) (uint64, error) {
	switch {
	case !only(s, digits):
		return 0, fmt.Errorf("Invalid character(s) found in %s number %q", strings.ToLower(name), s)
	case hasLeadingZero(s):
		return 0, fmt.Errorf("%s number must not contain leading zeroes %q", name, s)
	}
	return strconv.ParseUint(s, 10, 64)
}

func hasLeadingZero(s string) bool { return len(s) > 1 && s[0] == '0' }

func checkPrerelease(s string) error {
	switch {
	case s == "":
		return errors.New("Prerelease is empty")
	case only(s, digits) && hasLeadingZero(s):
		return fmt.Errorf("Numeric PreRelease version must not contain leading zeroes %q", s)
	case only(s, digits):
		_, err := strconv.ParseUint(s, 10, 64)
		return err
	case !only(s, identifier):
		return fmt.Errorf("Invalid character(s) found in prerelease %q", s)
	}
	return nil
}

func checkBuild(build string) error {
	for part := range strings.SplitSeq(build, ".") {
		switch {
		case part == "":
			return errors.New("Build meta data is empty")
		case !only(part, identifier):
			return fmt.Errorf("Invalid character(s) found in build meta data %q", part)
		}
	}
	return nil
}

// normalizeVersion drops a leading v and leading zeros and adds the numbers that are missing.
func normalizeVersion(s string) (string, error) {
	parts := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, part := range parts {
		if len(part) < 2 {
			continue
		}
		parts[i] = strings.TrimLeft(part, "0")
		if parts[i] == "" || !strings.ContainsAny(parts[i][:1], digits) {
			parts[i] = "0" + parts[i]
		}
	}
	if len(parts) < 3 && strings.ContainsAny(parts[len(parts)-1], "+-") {
		return "", errors.New("short version cannot contain PreRelease/Build meta data")
	}
	for len(parts) < 3 {
		parts = append(parts, "0")
	}
	return strings.Join(parts, "."), nil
}
