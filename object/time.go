package object

import (
	"encoding/json"
	"time"
)

const (
	timeLayout      = time.RFC3339
	microTimeLayout = "2006-01-02T15:04:05.000000Z07:00"
)

// Time is a point in time with the precision of a second, in JSON an RFC 3339
// string in UTC; the zero Time is null.
type Time struct{ time.Time }

// MarshalJSON implements [json.Marshaler].
func (t Time) MarshalJSON() ([]byte, error) { return marshalTime(t.Time, timeLayout) }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Time) UnmarshalJSON(data []byte) error { return unmarshalTime(&t.Time, data, timeLayout) }

// MicroTime is a point in time with the precision of a microsecond, in JSON an
// RFC 3339 string in UTC with exactly six decimals; the zero MicroTime is null.
type MicroTime struct{ time.Time }

// MarshalJSON implements [json.Marshaler].
func (t MicroTime) MarshalJSON() ([]byte, error) { return marshalTime(t.Time, microTimeLayout) }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *MicroTime) UnmarshalJSON(data []byte) error {
	return unmarshalTime(&t.Time, data, microTimeLayout)
}

func marshalTime(t time.Time, layout string) ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	buf := make([]byte, 0, len(layout)+2)
	buf = append(buf, '"')
	buf = t.UTC().AppendFormat(buf, layout)
	return append(buf, '"'), nil
}

func unmarshalTime(t *time.Time, data []byte, layout string) error {
	if string(data) == "null" {
		*t = time.Time{}
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	parsed, err := time.Parse(layout, s)
	if err != nil {
		return err
	}
	*t = parsed.Local()
	return nil
}
