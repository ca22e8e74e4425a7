package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// exchange is one HTTP request on its way to an answer.
type exchange struct {
	*call
	w    http.ResponseWriter
	r    *http.Request
	info requestInfo
	form form
}

// respond sends an object in the form that the client asked for.
func (x *exchange) respond(code int, e *object.Encoded) {
	f, err := x.form.withTableOptions(x.r.URL.Query())
	if err == nil {
		e, err = x.shown(e)
	}
	body := x.buffers.get()
	if err == nil {
		body, err = x.face.appendObject(body, f, e)
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.send(code, x.form, body)
	x.buffers.put(body)
}

// shown gives what the endpoint shows of a stored object, ready to be sent.
func (c *call) shown(e *object.Encoded) (*object.Encoded, error) {
	if c.view() != nil {
		return c.encodeView(e)
	}
	return c.current(e)
}

// respondStatus sends a Status, of a success.
func (x *exchange) respondStatus(status object.Status) {
	x.send(http.StatusOK, x.form, statusBody(x.form, status))
}

// fail answers with the Status of an error.
func (x *exchange) fail(err error) { x.failWith(x.w, x.r, err, &x.asides) }

func (x *exchange) send(code int, f form, body ...[]byte) {
	x.asides.writeTo(x.w.Header())
	send(x.w, x.r, code, f.media.String(), body...)
}

// failWith answers a request that failed with the Status of the error.
func (s *Server) failWith(w http.ResponseWriter, r *http.Request, err error, beside *asides) {
	err = timedOut(err)
	status := object.AsStatus(err)
	if status.Code >= http.StatusInternalServerError {
		s.logFailure(r, err, status)
	}
	s.answerFailure(w, r, status, beside)
}

// Refuse answers a request with an error, in the form that its client takes, for a program that
// stands in front of a server. It logs nothing.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	forbidCaching(w)
	s.answerFailure(w, r, object.AsStatus(err), nil)
}

func (s *Server) answerFailure(w http.ResponseWriter, r *http.Request, status object.Status, beside *asides) {
	f := s.negotiator.statusForm(r)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	if beside != nil {
		beside.writeTo(w.Header())
	}
	send(w, r, status.Code, f.media.String(), statusBody(f, status))
}

// send writes a complete answer, whose body may be in pieces, compressed if it is
// large and the client takes that.
func send(w http.ResponseWriter, r *http.Request, code int, contentType string, body ...[]byte) {
	size := 0
	for _, piece := range body {
		size += len(piece)
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	if compressible(r, size) {
		sendCompressed(w, code, body)
		return
	}
	h.Set("Content-Length", strconv.Itoa(size))
	w.WriteHeader(code)
	for _, piece := range body {
		_, _ = w.Write(piece) // a client that is gone needs no answer
	}
}

func statusBody(f form, status object.Status) []byte {
	if f.media == mediaProtobuf {
		return appendStatusProtobuf(nil, &status)
	}
	return f.finish(statusJSON(status))
}

func statusJSON(status object.Status) []byte {
	data, err := json.Marshal(status)
	if err != nil {
		panic(err) // a Status holds nothing that JSON doesn't know
	}
	return data
}

// finishJSON ends a JSON document, indented if it is for human eyes.
func finishJSON(data []byte, f form) []byte {
	if !f.pretty {
		return append(data, '\n')
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return append(data, '\n')
	}
	return b.Bytes()
}

// mustYAML tells a document of ours in YAML.
func mustYAML(data []byte) []byte {
	out, err := yaml.FromJSON(data)
	if err != nil {
		panic(err) // the JSON is our own
	}
	return out
}
