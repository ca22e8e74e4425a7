package apitest

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCounted writes events in pieces of any size: what passes are the first of them, whole.
func FuzzCounted(f *testing.F) {
	f.Add([]byte("one\ntwo\nthree\n"), 2, 3, false)
	f.Add([]byte("one\n\n\nthree\n"), 1, 4, true)
	f.Fuzz(func(t *testing.T, data []byte, events, piece int, protobuf bool) {
		if events < 1 || piece < 1 {
			return
		}
		frames := bytes.SplitAfter(data, []byte("\n"))
		frames = frames[:len(frames)-1] // the rest has no end
		answer := httptest.NewRecorder()
		if protobuf {
			answer.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch")
			for i := range frames {
				frames[i] = append(binary.BigEndian.AppendUint32(nil, uint32(len(frames[i]))), frames[i]...)
			}
		}
		whole := bytes.Join(frames, nil)
		broken := writeIn(&counted{ResponseWriter: answer, left: events}, whole, piece)
		require.Equal(t, len(frames) >= events, broken)
		require.Equal(t, string(bytes.Join(frames[:min(events, len(frames))], nil)), answer.Body.String())
	})
}

// writeIn writes in pieces, and says whether the connection was broken.
func writeIn(w http.ResponseWriter, data []byte, piece int) (broken bool) {
	defer func() { broken = recover() == http.ErrAbortHandler }()
	for len(data) > 0 {
		n := min(piece, len(data))
		_, _ = w.Write(data[:n])
		data = data[n:]
	}
	return false
}
