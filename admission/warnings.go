package admission

import (
	"slices"
	"unicode/utf8"
)

// How many characters of warnings an answer carries.
const (
	maxWarnings = 4096 // in all
	maxWarning  = 256  // each, once all together would be too long
)

// Warn tells the client something that doesn't stop the request. It says each thing once,
// and no more things than are ever sent.
func (r *Request) Warn(text string) {
	if len(r.warnings) > maxWarnings {
		return
	}
	if text != "" && !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// Warnings are the texts for the client, in order. They are cut if they are too
// long together, and those left out for which there is no room then.
func (r *Request) Warnings() []string {
	total := 0
	for _, w := range r.warnings {
		total += utf8.RuneCountInString(w)
	}
	if total <= maxWarnings {
		return slices.Clone(r.warnings)
	}
	return truncate(r.warnings)
}

func truncate(texts []string) []string {
	var kept []string
	room := maxWarnings
	for _, text := range texts {
		text = firstRunes(text, maxWarning)
		if room -= utf8.RuneCountInString(text); room < 0 {
			break
		}
		kept = append(kept, text)
	}
	return kept
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
