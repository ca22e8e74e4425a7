package apply

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxManager is how many bytes the name of a field manager may have.
const maxManager = 128

// ManagerOf gives the manager of a request that names none: its User-Agent up to the
// first slash, without what is not printable, of at most 128 bytes. It may be empty.
func ManagerOf(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, "/")
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > maxManager {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
