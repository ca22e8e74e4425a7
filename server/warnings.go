package server

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// warnings are what a request wants to tell its client beside the answer, each once.
type warnings struct {
	texts []string
	size  int // characters of the texts, each cut to maxWarning
}

// add takes a text in, unless a header cannot hold it as it is.
func (w *warnings) add(text string) {
	if w.size > maxWarnings {
		return // those before it are all that is sent
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) {
		return
	}
	for _, t := range w.texts {
		if t == text {
			return
		}
	}
	w.texts = append(w.texts, text)
	w.size += utf8.RuneCountInString(cut(text))
}

// Bounds for Warning headers: beyond maxWarnings characters in all, each is cut to maxWarning.
const (
	maxWarnings = 4096
	maxWarning  = 256
)

// writeTo sets one Warning header (RFC 7234, 5.5) for each text.
func (w *warnings) writeTo(h http.Header) {
	total := 0
	for _, text := range w.texts {
		total += utf8.RuneCountInString(text)
	}
	sent := 0
	for _, text := range w.texts {
		if total > maxWarnings {
			text = cut(text)
		}
		if sent += utf8.RuneCountInString(text); sent > maxWarnings {
			return
		}
		h.Add("Warning", "299 - "+quoteWarning(text))
	}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// quoteWarning makes a quoted-string of a text.
func quoteWarning(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if r == '"' || r == '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}

// cut shortens a text to maxWarning characters.
func cut(text string) string {
	count := 0
	for i := range text {
		if count == maxWarning {
			return text[:i]
		}
		count++
	}
	return text
}
