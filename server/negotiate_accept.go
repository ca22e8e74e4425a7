package server

import (
	"slices"
	"strconv"
	"strings"
)

// clause is one entry of an Accept header.
type clause struct {
	main, sub string
	q         float64
	params    string // ";"-separated, not yet read
}

// parseAccept reads a header the way the API's servers do, which is not quite RFC
// 9110: names are compared literally, entries that are no type/subtype are
// dropped, a malformed quality counts as 0 without being refused, and the order is
// by quality, with wildcards behind those that the sort meets them next to.
func parseAccept(header string) []clause {
	clauses := make([]clause, 0, 4)
	for rest, more := header, header != ""; more; {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		more = rest != ""
		if c, ok := parseClause(part); ok {
			clauses = append(clauses, c)
		}
	}
	slices.SortFunc(clauses, func(a, b clause) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return clauses
}

// before is no consistent order (two clauses can each be before the other), but
// it is the one in use: what it makes of the usual headers is what clients rely on.
func (c clause) before(other clause) bool {
	return c.q > other.q || c.main != "*" && other.main == "*" || c.sub != "*" && other.sub == "*"
}

func parseClause(part string) (clause, bool) {
	name, params, _ := strings.Cut(trimSpaces(part), ";")
	main, sub, _ := strings.Cut(name, "/")
	c := clause{main: trimSpaces(main), q: 1, params: params}
	switch {
	case sub == "" && c.main == "*":
		c.sub = "*"
	case sub == "":
		return clause{}, false
	default:
		first, rest, _ := strings.Cut(sub, "/")
		if rest != "" {
			return clause{}, false
		}
		c.sub = trimSpaces(first)
	}
	for name, value := range c.parameters() {
		if name == "q" {
			c.q, _ = strconv.ParseFloat(value, 32)
		}
	}
	return c, true
}

// parameters yields names and values in order; the last of a name counts. Those
// without a value, or with a second "=", are passed over.
func (c clause) parameters() func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for rest := c.params; rest != ""; {
			var p string
			p, rest, _ = strings.Cut(rest, ";")
			name, value, _ := strings.Cut(p, "=")
			if value == "" {
				continue
			}
			value, extra, _ := strings.Cut(value, "=")
			if extra != "" {
				continue
			}
			if name = trimSpaces(name); name != "q" {
				value = trimSpaces(value)
			}
			if !yield(name, value) {
				return
			}
		}
	}
}

func (c clause) matches(m mediaType) bool { return c.matchesName(mediaTypes[m]) }

// matchesName says whether the clause is about a media type application/….
func (c clause) matchesName(name string) bool {
	switch {
	case c.main == "*":
		return c.sub == "*"
	case c.main != "application":
		return false
	}
	return c.sub == "*" || c.sub == name[len("application/"):]
}

func trimSpaces(s string) string { return strings.Trim(s, " ") }

// choose finds the first clause that the endpoint can satisfy.
func choose(header string, o offer) (form, bool) {
	for _, c := range parseAccept(header) {
		for m := range mediaType(len(mediaTypes)) {
			if !c.matches(m) {
				continue
			}
			if f, ok := c.form(m, o); ok {
				return f, true
			}
		}
	}
	return form{}, false
}

// form reads the parameters of a clause for one encoding and says whether the
// endpoint allows them. Unknown ones are ignored.
func (c clause) form(m mediaType, o offer) (form, bool) {
	f := form{media: m}
	var as, group, version, stream, serverVersion string
	converts := false
	for name, value := range c.parameters() {
		switch name {
		case "as":
			as, converts = value, true
		case "g":
			group, converts = value, true
		case "v":
			version, converts = value, true
		case "stream":
			stream = value
		case "sv":
			serverVersion = value
		case "pretty":
			f.pretty = value == "1"
		}
	}
	if stream != "" && (stream != "watch" || !m.streams()) {
		return form{}, false
	}
	if serverVersion != "" && (serverVersion != "v1" || o&offerPlain != 0) {
		return form{}, false
	}
	if o&offerAggregated != 0 {
		return f, as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io" && version == "v2"
	}
	if !converts {
		return f, m != mediaProtobuf || o&(offerProtobuf|offerLenient) != 0
	}
	if group != "meta.k8s.io" || version != "v1" && version != "v1beta1" || o&offerPlain != 0 {
		return form{}, false
	}
	f.beta = version == "v1beta1"
	f.as = transforms[as]
	return f, f.as != asIs && !(f.as == asTable && m == mediaProtobuf)
}

var transforms = map[string]transform{
	"Table":                     asTable,
	"PartialObjectMetadata":     asPartial,
	"PartialObjectMetadataList": asPartialList,
}

// acceptsLiterally is the first look at a header, which only knows full names and */*.
func acceptsLiterally(header string, types ...string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, _, _ := strings.Cut(part, ";")
		if name = trimSpaces(name); name == "*/*" || slices.Contains(types, name) {
			return true
		}
	}
	return false
}
