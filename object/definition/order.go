package definition

import (
	"cmp"
	"strconv"
	"strings"
)

// CompareVersions orders names of versions as the API ranks them: it is positive if
// a comes before b in discovery. Stable ones (v2) rank over beta (v2beta1) over alpha
// (v2alpha1), then higher numbers over lower; names of another form come last, in the
// order of the alphabet.
func CompareVersions(a, b string) int {
	x, okX := parseVersion(a)
	y, okY := parseVersion(b)
	switch {
	case !okX && !okY:
		return strings.Compare(b, a)
	case !okX:
		return -1
	case !okY:
		return 1
	}
	return cmp.Or(cmp.Compare(x.level, y.level), cmp.Compare(x.major, y.major), cmp.Compare(x.minor, y.minor))
}

type rank struct{ level, major, minor int }

const (
	alpha = iota
	beta
	stable
)

// parseVersion reads v, a number and, perhaps, alpha or beta and a number.
func parseVersion(name string) (rank, bool) {
	rest, ok := strings.CutPrefix(name, "v")
	if !ok {
		return rank{}, false
	}
	for level, word := range []string{"alpha", "beta"} {
		if major, minor, found := strings.Cut(rest, word); found {
			x, okX := versionNumber(major)
			y, okY := versionNumber(minor)
			return rank{level, x, y}, okX && okY
		}
	}
	major, ok := versionNumber(rest)
	return rank{stable, major, 0}, ok
}

func versionNumber(s string) (int, bool) {
	if strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
