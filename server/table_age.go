package server

import (
	"strconv"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Age is the value of an age column for kinds whose ages are plain text: the time
// since the object was created, as kubectl shows it. A column of the type date
// needs it not: there the value is the time itself.
func Age(o object.Object) any {
	created := o.CreationTimestamp()
	if created.IsZero() {
		return "<unknown>"
	}
	return formatAge(time.Since(created))
}

// dateCell is the cell of a date column: how long ago a time in RFC 3339 was.
func dateCell(v any, now time.Time) any {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if s == "" {
		return "<unknown>"
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return "<invalid>"
	}
	return formatAge(now.Sub(t))
}

// formatAge shows a duration in two to three figures: "12s", "5m30s", "3h12m",
// "2d4h", "370d", "3y20d". A clock that is off by less than two seconds counts as
// right, and what lies further in the future as invalid.
func formatAge(d time.Duration) string {
	seconds, minutes, hours := int(d/time.Second), int(d/time.Minute), int(d/time.Hour)
	days, years := hours/24, hours/(24*365)
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	case seconds < 2*60:
		return strconv.Itoa(seconds) + "s"
	case minutes < 10:
		return twoUnits(minutes, "m", seconds%60, "s")
	case minutes < 3*60:
		return strconv.Itoa(minutes) + "m"
	case hours < 8:
		return twoUnits(hours, "h", minutes%60, "m")
	case hours < 48:
		return strconv.Itoa(hours) + "h"
	case days < 8:
		return twoUnits(days, "d", hours%24, "h")
	case days < 2*365:
		return strconv.Itoa(days) + "d"
	case days < 8*365:
		return twoUnits(years, "y", days%365, "d")
	}
	return strconv.Itoa(years) + "y"
}

func twoUnits(large int, largeUnit string, small int, smallUnit string) string {
	if small == 0 {
		return strconv.Itoa(large) + largeUnit
	}
	return strconv.Itoa(large) + largeUnit + strconv.Itoa(small) + smallUnit
}
