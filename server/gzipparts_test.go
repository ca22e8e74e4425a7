package server

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGzipStreamsOfParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var want, got bytes.Buffer
		z := gzipStream{w: &got}
		require.NoError(t, z.begin())
		for range random.IntN(6) {
			data := bytes.Repeat([]byte("some text. "), random.IntN(5000))
			for range len(data) / 50 {
				data[random.IntN(len(data))] = byte(random.Uint32())
			}
			want.Write(data)
			if len(data) < 1<<10 {
				require.NoError(t, z.addStored(data))
				continue
			}
			require.NoError(t, z.add(compressPart(data)))
		}
		require.NoError(t, z.end())
		r, err := gzip.NewReader(&got)
		require.NoError(t, err)
		r.Multistream(false)
		read, err := io.ReadAll(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want.Bytes(), read))
		require.Zero(t, got.Len(), "nothing is behind it")
	}
}

func TestPartsAreSmaller(t *testing.T) {
	random := make([]byte, 150<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	for name, tc := range map[string]struct {
		data []byte
		most float64
	}{
		"text that repeats itself": {bytes.Repeat([]byte("some text. "), 20_000), 0.01},
		"base64":                   {base64.StdEncoding.AppendEncode(nil, random), 0.77},
		"what cannot be":           {random, 1.01},
	} {
		part := compressPart(tc.data)
		require.LessOrEqual(t, float64(len(part.data)), tc.most*float64(len(tc.data)), name)
	}
}

func FuzzJoinSums(f *testing.F) {
	f.Add([]byte(""), []byte(""))
	f.Add([]byte("a"), []byte(""))
	f.Add([]byte("some"), []byte(" text"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		want := crc32.ChecksumIEEE(append(bytes.Clone(first), second...))
		require.Equal(t, want, joinSums(crc32.ChecksumIEEE(first), crc32.ChecksumIEEE(second), len(second)))
	})
}
