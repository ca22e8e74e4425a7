package schema

import (
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// format is a format of texts that the API checks.
type format uint8

const (
	unknownFormat format = iota
	formatBSONObjectID
	formatByte
	formatCIDR
	formatCreditCard
	formatDate
	formatDateTime
	formatDuration
	formatEmail
	formatHexColor
	formatHostname
	formatIPv4
	formatIPv6
	formatISBN
	formatISBN10
	formatISBN13
	formatLongName
	formatMAC
	formatPassword
	formatRGBColor
	formatShortName
	formatSSN
	formatURI
	formatUUID
	formatUUID3
	formatUUID4
	formatUUID5
)

// formatNamed finds a format by its name, in which dashes don't count.
func formatNamed(name string) format {
	switch strings.ReplaceAll(name, "-", "") {
	case "bsonobjectid":
		return formatBSONObjectID
	case "byte":
		return formatByte
	case "cidr":
		return formatCIDR
	case "creditcard":
		return formatCreditCard
	case "date":
		return formatDate
	case "datetime":
		return formatDateTime
	case "duration":
		return formatDuration
	case "email":
		return formatEmail
	case "hexcolor":
		return formatHexColor
	case "hostname":
		return formatHostname
	case "ipv4":
		return formatIPv4
	case "ipv6":
		return formatIPv6
	case "isbn":
		return formatISBN
	case "isbn10":
		return formatISBN10
	case "isbn13":
		return formatISBN13
	case "k8slongname":
		return formatLongName
	case "mac":
		return formatMAC
	case "password":
		return formatPassword
	case "rgbcolor":
		return formatRGBColor
	case "k8sshortname":
		return formatShortName
	case "ssn":
		return formatSSN
	case "uri":
		return formatURI
	case "uuid":
		return formatUUID
	case "uuid3":
		return formatUUID3
	case "uuid4":
		return formatUUID4
	case "uuid5":
		return formatUUID5
	}
	return unknownFormat
}

// enforced says whether the API checks the format in values of the type.
func enforced(format, ofType string) bool {
	switch ofType {
	case "", "string":
		return formatNamed(format) != unknownFormat
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

// matches says whether a text has the format.
func (f format) matches(s string) bool {
	switch f {
	case formatBSONObjectID:
		return len(s) == 24 && every(s, isHex)
	case formatByte:
		return isBase64(s)
	case formatCIDR:
		return isCIDR(s)
	case formatCreditCard:
		return isCreditCard(s)
	case formatDate:
		return isDate(s)
	case formatDateTime:
		return isDateTime(s)
	case formatDuration:
		return isDuration(s)
	case formatEmail:
		_, err := mail.ParseAddress(s)
		return err == nil
	case formatHexColor:
		s = strings.TrimPrefix(s, "#")
		return (len(s) == 3 || len(s) == 6) && every(s, isHex)
	case formatHostname:
		return isHostname(s)
	case formatIPv4:
		return strings.Contains(s, ".") && net.ParseIP(withoutLeadingZeros(s)) != nil
	case formatIPv6:
		return strings.Contains(s, ":") && net.ParseIP(s) != nil
	case formatISBN:
		return isISBN10(s) || isISBN13(s)
	case formatISBN10:
		return isISBN10(s)
	case formatISBN13:
		return isISBN13(s)
	case formatLongName:
		return object.ValidateSubdomainName(s, false) == nil
	case formatMAC:
		_, err := net.ParseMAC(s)
		return err == nil
	case formatRGBColor:
		return isRGBColor(s)
	case formatShortName:
		return object.ValidateLabelName(s, false) == nil
	case formatSSN:
		return isSSN(s)
	case formatURI:
		_, err := url.ParseRequestURI(s)
		return err == nil
	case formatUUID:
		return isUUID(s, 0, false)
	case formatUUID3:
		return isUUID(s, '3', false)
	case formatUUID4:
		return isUUID(s, '4', true)
	case formatUUID5:
		return isUUID(s, '5', true)
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func every(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

// isBase64 wants whole groups of four, and at least one.
func isBase64(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	body := strings.TrimSuffix(s, "=")
	body = strings.TrimSuffix(body, "=")
	return every(body, func(c byte) bool {
		return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '+' || c == '/'
	})
}

// withoutLeadingZeros lets the parts of an IPv4 address, alone or at the end of an
// IPv6 address, begin with zeros, as the API has always done.
func withoutLeadingZeros(s string) string {
	start := strings.LastIndexByte(s, ':') + 1
	dotted := s[start:]
	if !strings.Contains(dotted, ".") || !strings.HasPrefix(dotted, "0") && !strings.Contains(dotted, ".0") {
		return s
	}
	parts := strings.Split(dotted, ".")
	for i, part := range parts {
		if trimmed := strings.TrimLeft(part, "0"); len(trimmed) < len(part) {
			parts[i] = trimmed
			if trimmed == "" || !isDigit(trimmed[0]) {
				parts[i] = "0" + trimmed
			}
		}
	}
	return s[:start] + strings.Join(parts, ".")
}

func isCIDR(s string) bool {
	address, size, ok := strings.Cut(s, "/")
	if !ok {
		return false
	}
	_, _, err := net.ParseCIDR(withoutLeadingZeros(address) + "/" + size)
	return err == nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDateTime wants a date, T, hh:mm:ss, maybe a fraction behind any character, and
// Z or +hh:mm, of which the hours and minutes may be any.
func isDateTime(s string) bool {
	const date = len(time.DateOnly)
	if len(s) <= date || s[date]|0x20 != 't' || !isDate(s[:date]) {
		return false
	}
	clock := s[date+1:]
	if end := strings.IndexAny(clock, "tT"); end >= 0 {
		clock = clock[:end]
	}
	if len(clock) < len("00:00:00Z") || !isClock(clock[:8]) || clock[:2] > "23" || clock[3:5] > "59" || clock[6:8] > "59" {
		return false
	}
	rest := clock[8:]
	zone := strings.TrimRight(rest[len(rest)-1:], "zZ")
	zone = rest[:len(rest)-1+len(zone)]
	if len(zone) == len(rest) {
		n := len(rest) - len("+00:00")
		if n < 0 || rest[n] != '+' && rest[n] != '-' || !isClock(rest[n+1:]+":00") {
			return false
		}
		zone = rest[:n]
	}
	if zone == "" {
		return true
	}
	_, size := firstRune(zone)
	return zone[0] != '\n' && len(zone) > size && every(zone[size:], isDigit)
}

func firstRune(s string) (r rune, size int) {
	for i, c := range s {
		if i > 0 {
			return r, i
		}
		r = c
	}
	return r, len(s)
}

// isClock wants 00:00:00 with any digits.
func isClock(s string) bool {
	for i := range len(s) {
		if i%3 == 2 && s[i] != ':' || i%3 != 2 && !isDigit(s[i]) {
			return false
		}
	}
	return len(s) == 8
}

// isDuration takes what package time takes, and any text that has a number with a
// unit in it, such as "3 days and a bit".
func isDuration(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	found := false
	for {
		start := strings.IndexFunc(s, func(r rune) bool { return r < 0x80 && isDigit(byte(r)) })
		if start < 0 {
			return found
		}
		number := s[start:]
		end := strings.IndexFunc(number, func(r rune) bool { return r >= 0x80 || !isDigit(byte(r)) })
		if end < 0 {
			return found
		}
		s = strings.TrimLeft(number[end:], " \t\n\f\r")
		size := strings.IndexFunc(s, func(r rune) bool { return r != 'µ' && (r >= 0x80 || !isLetter(byte(r))) })
		if size < 0 {
			size = len(s)
		}
		if size == 0 {
			continue
		}
		if _, err := strconv.Atoi(number[:end]); err != nil {
			return false
		}
		found = found || isTimeUnit(strings.ToLower(s[:size]))
		s = s[size:]
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isTimeUnit(unit string) bool {
	switch unit {
	case "ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk":
		return true
	}
	for _, name := range []string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"} {
		if strings.HasPrefix(unit, name) {
			return true
		}
	}
	return false
}

// isHostname wants either one label, or labels with dots and a last one of letters.
// Symbols and letters of all languages may stand in it.
func isHostname(s string) bool {
	if len(s) > 255 {
		return false
	}
	if !strings.Contains(s, ".") {
		return isLoneLabel(s)
	}
	for {
		label, rest, more := strings.Cut(s, ".")
		switch {
		case len(label) > 63:
			return false
		case !more:
			return utf8.RuneCountInString(label) >= 2 && !strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsLetter(r) })
		case !isHostLabel(label):
			return false
		}
		s = rest
	}
}

// isLoneLabel allows one dash, as the second character.
func isLoneLabel(s string) bool {
	n := 0
	for _, r := range s {
		if !isHostRune(r) && (n != 1 || r != '-') {
			return false
		}
		n++
	}
	return 0 < n && len(s) <= 63
}

func isHostLabel(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for _, r := range s {
		if !isHostRune(r) && r != '-' {
			return false
		}
	}
	return true
}

func isHostRune(r rune) bool {
	return '0' <= r && r <= '9' || unicode.IsLetter(r) || unicode.IsSymbol(r)
}

// isUUID wants 32 hexadecimal digits, with or without each of the four dashes, one
// of them the version if there is one, and a variant of RFC 4122 where asked for.
func isUUID(s string, version byte, variant bool) bool {
	n := 0
	for i := range len(s) {
		c := s[i]
		if c == '-' {
			if i == 0 || s[i-1] == '-' || n != 8 && n != 12 && n != 16 && n != 20 {
				return false
			}
			continue
		}
		switch {
		case !isHex(c), n == 12 && version != 0 && c != version:
			return false
		case n == 16 && variant && c != '8' && c != '9' && c|0x20 != 'a' && c|0x20 != 'b':
			return false
		}
		n++
	}
	return n == 32
}
