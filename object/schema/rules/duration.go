package rules

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseTime reads the forms of date-time that the API takes.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err == nil {
		return t, nil
	}
	return time.Parse("2006-01-02T15:04:05", text)
}

var durationPart = regexp.MustCompile(`(\d+)\s*([A-Za-zµ]+)`)

// parseDuration reads durations of Go and those in words, such as "2 days 4 hours".
// Of the words only the beginning counts; what is no number with a unit is skipped.
func parseDuration(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, nil
	}
	var sum time.Duration
	found := false
	for _, part := range durationPart.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(part[1])
		if err != nil {
			return 0, err
		}
		if unit, ok := unitOf(strings.ToLower(part[2])); ok {
			sum += time.Duration(n) * unit
			found = true
		}
	}
	if !found {
		return 0, fmt.Errorf("unable to parse %s as duration", text)
	}
	return sum, nil
}

// unitOf finds a unit by one of its short names, or by what its long name begins with.
func unitOf(word string) (time.Duration, bool) {
	for _, unit := range [...]struct {
		short string
		long  string
		unit  time.Duration
	}{
		{"ns", "nano", time.Nanosecond}, {"us µs", "micro", time.Microsecond}, {"ms", "milli", time.Millisecond},
		{"s", "sec", time.Second}, {"m", "min", time.Minute}, {"h hr", "hour", time.Hour},
		{"d", "day", 24 * time.Hour}, {"w wk", "week", 7 * 24 * time.Hour},
	} {
		for short := range strings.FieldsSeq(unit.short) {
			if strings.EqualFold(short, word) {
				return unit.unit, true
			}
		}
		if strings.HasPrefix(word, unit.long) {
			return unit.unit, true
		}
	}
	return 0, false
}
