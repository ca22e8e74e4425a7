package apitest

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"strings"
)

// lost takes an answer that nobody gets.
type lost struct{ header http.Header }

// Header implements [http.ResponseWriter].
func (l *lost) Header() http.Header { return l.header }

// WriteHeader implements [http.ResponseWriter].
func (l *lost) WriteHeader(int) {}

// Write implements [http.ResponseWriter].
func (l *lost) Write(p []byte) (int, error) { return len(p), nil }

// Flush implements [http.Flusher].
func (l *lost) Flush() {}

// counted breaks the connection of a watch after so many events.
type counted struct {
	http.ResponseWriter
	left int    // events that still pass
	rest []byte // of a frame whose end is still to come
}

// Unwrap is for [http.ResponseController].
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Write implements [http.ResponseWriter].
func (c *counted) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	size := frameSize
	if strings.Contains(c.Header().Get("Content-Type"), "protobuf") {
		size = protobufFrameSize
	}
	for n := size(c.rest); n > 0; n = size(c.rest) {
		if _, err := c.ResponseWriter.Write(c.rest[:n]); err != nil {
			return 0, err
		}
		c.rest = c.rest[n:]
		if c.left--; c.left == 0 {
			_ = http.NewResponseController(c.ResponseWriter).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	return len(p), nil
}

// frameSize is the length of the first event of a stream of JSON; 0 if it is not complete.
func frameSize(data []byte) int { return bytes.IndexByte(data, '\n') + 1 }

// protobufFrameSize is the same for protobuf, where four bytes say how many follow.
func protobufFrameSize(data []byte) int {
	if len(data) < 4 {
		return 0
	}
	if n := 4 + int(binary.BigEndian.Uint32(data)); n <= len(data) {
		return n
	}
	return 0
}
