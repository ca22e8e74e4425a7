package schema

import (
	"strings"
)

// isCreditCard looks at the digits only: those of the known issuers, with a right
// check digit.
func isCreditCard(s string) bool {
	digits := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
	if !hasIssuer(digits) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func hasIssuer(digits string) bool {
	begins := func(low, high string) bool {
		return len(digits) >= len(low) && low <= digits[:len(low)] && digits[:len(low)] <= high
	}
	switch len(digits) {
	case 13:
		return begins("4", "4")
	case 14:
		return begins("300", "305") || begins("36", "36") || begins("38", "38")
	case 15:
		return begins("34", "34") || begins("37", "37") || begins("2131", "2131") || begins("1800", "1800")
	case 16:
		return begins("4", "4") || begins("51", "55") || begins("6011", "6011") || begins("65", "65") || begins("35", "35")
	}
	return false
}

func withoutSpaceAndDash(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\f\r-", r) {
			return -1
		}
		return r
	}, s)
}

func isISBN10(s string) bool {
	s = withoutSpaceAndDash(s)
	if len(s) != 10 || !every(s[:9], isDigit) || s[9] != 'X' && !isDigit(s[9]) {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (i + 1) * int(s[i]-'0')
	}
	if s[9] == 'X' {
		sum += 10 * 10
	} else {
		sum += 10 * int(s[9]-'0')
	}
	return sum%11 == 0
}

func isISBN13(s string) bool {
	s = withoutSpaceAndDash(s)
	if len(s) != 13 || !every(s, isDigit) {
		return false
	}
	sum := 0
	for i := range 13 {
		sum += (1 + i%2*2) * int(s[i]-'0')
	}
	return sum%10 == 0
}

// isSSN wants 3, 2 and 4 digits with a dash or space between: nothing else is 11 long.
func isSSN(s string) bool {
	if len(s) != 11 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; i {
		case 3, 6:
			if c != '-' && c != ' ' {
				return false
			}
		default:
			if !isDigit(c) {
				return false
			}
		}
	}
	return true
}

// isRGBColor wants rgb(r,g,b) with numbers up to 255 and maybe spaces around them.
func isRGBColor(s string) bool {
	body, ok := strings.CutPrefix(s, "rgb(")
	body, closed := strings.CutSuffix(body, ")")
	parts := strings.Split(body, ",")
	if !ok || !closed || len(parts) != 3 {
		return false
	}
	for _, part := range parts {
		part = strings.Trim(part, " \t\n\f\r")
		if part == "" || len(part) > 3 || !every(part, isDigit) || len(part) > 1 && part[0] == '0' || len(part) == 3 && part > "255" {
			return false
		}
	}
	return true
}
