package memory_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

func filled(b *testing.B, n int) *memory.Backend {
	m := memory.New()
	for i := range n {
		_, err := m.Write(b.Context(), storage.Write{Key: benchKey(i), Next: benchValue})
		require.NoError(b, err)
	}
	return m
}

var benchValue = &object.Encoded{Head: []byte{0, 0, 0}, Body: bytes.Repeat([]byte("x"), 1300)}

func benchKey(i int) string { return fmt.Sprintf("configmaps/bench/object-%06d", i) }

func BenchmarkWrite(b *testing.B) {
	m := memory.New()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := m.Write(b.Context(), storage.Write{Key: benchKey(i), Next: benchValue}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	m := filled(b, 10_000)
	key := benchKey(7919)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Get(key, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan10000(b *testing.B) {
	m := filled(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := m.Scan("configmaps/", "", 0, nil, func(string, *object.Encoded) bool { n++; return true }); err != nil || n != 10_000 {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkFork(b *testing.B) {
	m := filled(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		m.Fork()
	}
}
