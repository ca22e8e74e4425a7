package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// faultText is a fault as JSON has it: durations are texts.
type faultText struct {
	*plainFault
	Latency    string `json:"latency,omitempty"`
	RetryAfter string `json:"retryAfter,omitempty"`
}

// plainFault has no methods, so that json reads and writes its fields.
type plainFault Fault

// MarshalJSON implements [json.Marshaler].
func (f Fault) MarshalJSON() ([]byte, error) {
	text := faultText{plainFault: (*plainFault)(&f)}
	if f.Latency != 0 {
		text.Latency = f.Latency.String()
	}
	if f.RetryAfter != 0 {
		text.RetryAfter = f.RetryAfter.String()
	}
	return json.Marshal(text)
}

// UnmarshalJSON implements [json.Unmarshaler]. A field that no fault has is an error.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var plain plainFault
	text := faultText{plainFault: &plain}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&text); err != nil {
		return fmt.Errorf("reading a fault: %w", err)
	}
	for _, field := range []struct {
		text string
		to   *time.Duration
	}{{text.Latency, &plain.Latency}, {text.RetryAfter, &plain.RetryAfter}} {
		if field.text == "" {
			continue
		}
		var err error
		if *field.to, err = time.ParseDuration(field.text); err != nil {
			return fmt.Errorf("reading a fault: %w", err)
		}
	}
	*f = Fault(plain)
	return nil
}
