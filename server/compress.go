package server

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// compressFrom is the size in bytes above which an answer is compressed.
const compressFrom = 128 << 10

// compressible says whether an answer of that many bytes goes compressed: it is
// large, and the client takes gzip.
func compressible(r *http.Request, size int) bool {
	return size > compressFrom && acceptsGzip(r)
}

// acceptsGzip says whether the client takes gzip. Quality values are not looked at.
func acceptsGzip(r *http.Request) bool {
	for token := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(token) == "gzip" {
			return true
		}
	}
	return false
}

// markCompressed says in the head of an answer that its body is compressed.
func markCompressed(h http.Header) {
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
}

// sendCompressed writes the head and the compressed body of an answer, whose
// other headers are set.
func sendCompressed(w http.ResponseWriter, code int, body [][]byte) {
	markCompressed(w.Header())
	w.WriteHeader(code)
	z := newCompressor(w)
	for _, piece := range body {
		_, _ = z.Write(piece) // a client that is gone needs no answer
	}
	closeCompressor(z)
}

// compressedAnswer compresses the body of an answer that is a success.
type compressedAnswer struct {
	http.ResponseWriter
	z *gzip.Writer // nil before, and if it is another answer
}

// WriteHeader implements [http.ResponseWriter].
func (a *compressedAnswer) WriteHeader(code int) {
	if code == http.StatusOK {
		a.Header().Del("Content-Length")
		markCompressed(a.Header())
		a.z = newCompressor(a.ResponseWriter)
	}
	a.ResponseWriter.WriteHeader(code)
}

// Write implements [http.ResponseWriter].
func (a *compressedAnswer) Write(data []byte) (int, error) {
	if a.z == nil {
		return a.ResponseWriter.Write(data)
	}
	return a.z.Write(data)
}

func (a *compressedAnswer) close() {
	if a.z != nil {
		closeCompressor(a.z)
	}
}

func newCompressor(w io.Writer) *gzip.Writer {
	z := gzipWriters.Get().(*gzip.Writer)
	z.Reset(w)
	return z
}

// closeCompressor ends the compressed body and gives the writer back.
func closeCompressor(z *gzip.Writer) {
	_ = z.Close()
	z.Reset(nil)
	gzipWriters.Put(z)
}

// gzipWriters are kept because a writer is large. They compress as fast as they
// can: the client is near or the answer is small.
var gzipWriters = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return z
}}
