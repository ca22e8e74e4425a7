package admission

import "slices"

// maxWarnings is how many warnings a request keeps: of more than these no answer carries
// anything, even if each is a single character.
const maxWarnings = 4096

// Warn tells the client something that doesn't stop the request. It says each thing once.
func (r *Request) Warn(text string) {
	if text != "" && len(r.warnings) < maxWarnings && !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// Warnings are the texts for the client, in order. Who sends them cuts them as the wire wants
// it. The slice belongs to the request.
func (r *Request) Warnings() []string { return r.warnings }
