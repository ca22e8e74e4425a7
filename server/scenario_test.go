package server

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

var rewrite = flag.Bool("rewrite", false, "write what happens into testdata as what is expected")

// TestScenarios runs the files of testdata, each against a new server with the
// resources of this package's tests, in a bubble whose time moves only where a scenario
// waits. A file has blocks, set apart by empty lines: a command, the line ----,
// and what comes of it. Lines with # are remarks. The commands are:
//
//	METHOD PATH [BODY]      one request; lines below are headers (Name: value), and then more of the body
//	repeat N METHOD PATH [BODY]   the same N times, # being 1 to N
//	watch NAME PATH         opens a watch
//	read NAME               what the watch has brought since
//	close NAME              goes away from it
//	wait DURATION           lets time pass
//	serve PLURAL            adds a resource; unserve GROUP/PLURAL removes one
//	settle                  until nothing is left to do
//	version                 the resource version of the store
//	shutdown                stops the server
//
// Files that begin with "definition" have custom resources turned on.
//
// What is random is shown as <uid-1>, <name-1> or <continue-1>; a later command may
// use these words. Time begins with the year 2000.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runScenario(t, file) })
		})
	}
}

func runScenario(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s := newScenario(t, strings.HasPrefix(filepath.Base(file), "definition"))
	defer s.closeAll()
	var out strings.Builder
	line := 1
	for i, block := range strings.Split(strings.TrimRight(string(text), "\n"), "\n\n") {
		command, want, isCommand := strings.Cut(block+"\n", "\n----\n")
		if i > 0 {
			out.WriteString("\n")
		}
		if !isCommand {
			out.WriteString(block + "\n")
		} else {
			got := s.run(command)
			fmt.Fprintf(&out, "%s\n----\n%s", command, got)
			if !*rewrite && got != want {
				t.Errorf("%s:%d: %s\nwant %s\ngot  %s", file, line, command, want, got)
			}
		}
		line += strings.Count(block, "\n") + 2
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
}

type scenario struct {
	t       *testing.T
	server  *Server
	client  http.RoundTripper
	watches map[string]*openWatch
	words   words
}

func newScenario(t *testing.T, custom bool) *scenario {
	cfg := Config{Resources: []Resource{namespaces(), widgets(), crates(), tickets(), notes()}}
	if custom {
		cfg.CustomResources = &CustomResources{}
	}
	server := newWorldOf(t, cfg)
	require.NoError(t, createNamespace(t, server, "default"))
	return &scenario{t: t, server: server, client: Transport(server), watches: map[string]*openWatch{}}
}

// run carries one command out and gives what comes of it, ended by a line break.
func (s *scenario) run(command string) string {
	for strings.HasPrefix(command, "#") {
		_, command, _ = strings.Cut(command, "\n")
	}
	verb, rest, _ := strings.Cut(s.words.real(command), " ")
	out := ""
	switch verb {
	case "repeat":
		out = s.repeat(rest)
	case "watch":
		name, path, _ := strings.Cut(rest, " ")
		out = s.watch(name, path)
	case "read":
		out = s.read(rest)
	case "close":
		s.watches[rest].close()
		delete(s.watches, rest)
	case "wait":
		d, err := time.ParseDuration(rest)
		require.NoError(s.t, err, command)
		time.Sleep(d)
	case "settle":
		synctest.Wait()
	case "serve":
		require.NoError(s.t, s.server.Add(described()[rest]))
	case "unserve":
		group, plural, _ := strings.Cut(rest, "/")
		s.server.Remove(object.GroupResource{Group: group, Resource: plural})
	case "version":
		out = s.server.config.Store.Version().String()
	case "shutdown":
		require.NoError(s.t, s.server.Shutdown(s.t.Context()))
	default:
		out = s.request(verb, rest)
	}
	if out = strings.TrimRight(s.words.stable(out), "\n"); out == "" {
		return "ok\n"
	}
	return out + "\n"
}

var headerLine = regexp.MustCompile(`^([A-Z][A-Za-z-]+): (.*)$`)

// send makes a request of what follows the method.
func (s *scenario) send(method, rest string) *http.Response {
	first, more, _ := strings.Cut(rest, "\n")
	path, body, _ := strings.Cut(first, " ")
	header := http.Header{}
	for more != "" {
		line, below, _ := strings.Cut(more, "\n")
		m := headerLine.FindStringSubmatch(line)
		if m == nil {
			break
		}
		header.Add(m[1], m[2])
		more = below
	}
	r, err := http.NewRequest(method, "http://server"+path, strings.NewReader(body+more))
	require.NoError(s.t, err)
	r.Header = header
	answer, err := s.client.RoundTrip(r)
	require.NoError(s.t, err)
	return answer
}

func (s *scenario) request(method, rest string) string {
	answer := s.send(method, rest)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return head(answer) + string(body)
}

// head is the status line and the headers that are worth a look.
func head(answer *http.Response) string {
	var b strings.Builder
	fmt.Fprintln(&b, answer.Status)
	for _, name := range []string{"Content-Type", "Content-Encoding", "Retry-After", "Warning"} {
		for _, value := range answer.Header.Values(name) {
			if value != typeJSON {
				fmt.Fprintf(&b, "%s: %s\n", name, value)
			}
		}
	}
	return b.String()
}

func (s *scenario) repeat(rest string) string {
	times, request, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(times)
	require.NoError(s.t, err)
	counts := map[string]int{}
	for i := range n {
		method, rest, _ := strings.Cut(strings.ReplaceAll(request, "#", strconv.Itoa(i+1)), " ")
		answer := s.send(method, rest)
		require.NoError(s.t, answer.Body.Close())
		counts[answer.Status]++
	}
	return strings.Trim(fmt.Sprint(counts), "map[]")
}

// openWatch collects the lines of an answer that goes on.
type openWatch struct {
	answer *http.Response
	done   chan struct{}
	mu     sync.Mutex
	lines  bytes.Buffer
}

func (s *scenario) watch(name, rest string) string {
	w := &openWatch{answer: s.send(http.MethodGet, rest), done: make(chan struct{})}
	s.watches[name] = w
	go w.collect()
	return head(w.answer)
}

func (w *openWatch) collect() {
	defer close(w.done)
	lines := bufio.NewScanner(w.answer.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		w.add(lines.Text())
	}
	w.add("(ended)")
}

func (w *openWatch) add(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines.WriteString(line + "\n")
}

func (w *openWatch) close() {
	_ = w.answer.Body.Close()
	<-w.done
}

func (s *scenario) read(name string) string {
	synctest.Wait()
	w := s.watches[name]
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.lines.String()
	w.lines.Reset()
	if text == "" {
		return "(nothing)"
	}
	return text
}

func (s *scenario) closeAll() {
	for _, w := range s.watches {
		w.close()
	}
}

// words stand for what is random.
type words struct {
	stand, forText []string // stand[i] stands for forText[i]
	count          map[string]int
}

var (
	uidPattern      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	continuePattern = regexp.MustCompile(`"continue":"([^"]+)"`)
	prefixPattern   = regexp.MustCompile(`"generateName":"([^"]+)"`)
)

func (w *words) stable(text string) string {
	for _, uid := range uidPattern.FindAllString(text, -1) {
		w.learn("uid", uid)
	}
	for _, m := range continuePattern.FindAllStringSubmatch(text, -1) {
		w.learn("continue", m[1])
	}
	for _, m := range prefixPattern.FindAllStringSubmatch(text, -1) {
		names := regexp.MustCompile(`"name":"(` + regexp.QuoteMeta(m[1]) + `[a-z0-9]{5})"`)
		for _, m := range names.FindAllStringSubmatch(text, -1) {
			w.learn("name", m[1])
		}
	}
	for i, random := range w.forText {
		text = strings.ReplaceAll(text, random, w.stand[i])
	}
	return text
}

func (w *words) learn(kind, text string) {
	for _, known := range w.forText {
		if known == text {
			return
		}
	}
	if w.count == nil {
		w.count = map[string]int{}
	}
	w.count[kind]++
	w.stand = append(w.stand, fmt.Sprintf("<%s-%d>", kind, w.count[kind]))
	w.forText = append(w.forText, text)
}

// real puts the random texts back.
func (w *words) real(text string) string {
	for i, word := range w.stand {
		text = strings.ReplaceAll(text, word, w.forText[i])
	}
	return text
}
