package apitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Bounds of a record, so that it helps to read a failure instead of burying it.
const (
	recordedWrites = 20   // of each manager, the newest
	recordedFields = 8    // of each write
	regarded       = 2000 // writes that are looked at, the newest
)

// Record tells what each manager of fields has written since New or Fork returned, as far as
// it fits. A test that fails shows it.
func (s *Server) Record() string {
	var writes []storage.Change
	err := s.backend.Changes("", s.began, func(c storage.Change) bool {
		writes = append(writes, c)
		return true
	})
	if err != nil {
		return fmt.Sprintf("reading what was written: %v\n", err)
	}
	var b strings.Builder
	if left := len(writes) - regarded; left > 0 {
		fmt.Fprintf(&b, "Of %d writes these are from the newest %d.\n", len(writes), regarded)
		writes = writes[left:]
	}
	byManager := map[string][]string{}
	for i := range writes {
		by, text := s.recorded(&writes[i])
		byManager[by] = append(byManager[by], text)
	}
	for _, by := range slices.Sorted(maps.Keys(byManager)) {
		texts := byManager[by]
		fmt.Fprintf(&b, "Written by %s:\n", by)
		if left := len(texts) - recordedWrites; left > 0 {
			fmt.Fprintf(&b, "  … %d earlier ones\n", left)
			texts = texts[left:]
		}
		b.WriteString(strings.Join(texts, ""))
	}
	if b.Len() == 0 {
		return "Nothing was written.\n"
	}
	return b.String()
}

// recorded tells of one write, as it is stored, and who made it.
func (s *Server) recorded(w *storage.Change) (by, text string) {
	written, err := decoded(w)
	if err != nil {
		return "the server", fmt.Sprintf("  %d %s cannot be read: %v\n", w.Version, w.Key, err)
	}
	c := s.change(&written)
	left := len(c.Fields) - recordedFields
	var b strings.Builder
	fmt.Fprintf(&b, "  %d  %s  %s %s\n", c.Version, c.Time.Format(clock), w.Key, c.what())
	for _, f := range c.Fields[:min(len(c.Fields), recordedFields)] {
		b.WriteString("      " + f.String() + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "      … %d more fields\n", left)
	}
	return c.By, b.String()
}

// decoded gives the documents of a write.
func decoded(w *storage.Change) (c server.Change, err error) {
	c.Version = w.Version
	if w.Prev != nil {
		if c.Prev, err = w.Prev.Object(object.TypeMeta{}); err != nil {
			return c, err
		}
	}
	if w.Next != nil {
		c.Next, err = w.Next.Object(object.TypeMeta{})
	}
	return c, err
}
