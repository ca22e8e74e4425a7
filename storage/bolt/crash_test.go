//go:build unix

package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
)

// These tests run the test binary as a child process that does what the
// environment says, so that what dies or fails is a real process with real files.
const (
	roleVariable = "PLINTH_BOLT_TEST_ROLE"
	pathVariable = "PLINTH_BOLT_TEST_PATH"
	argVariable  = "PLINTH_BOLT_TEST_ARG"
)

func TestMain(m *testing.M) {
	path, arg := os.Getenv(pathVariable), os.Getenv(argVariable)
	var err error
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "write":
		err = writeForEver(path, arg)
	case "fail":
		err = writeUntilFailure(path, arg)
	default:
		err = errors.New("unknown role " + role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(t *testing.T, role, path, arg string, wrapper ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	args := append(wrapper, exe)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path, argVariable+"="+arg)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForEver writes from several goroutines and tells every acknowledged write on standard output,
// in the words of told. Meanwhile it compacts up to the version given.
func writeForEver(path, compact string) error {
	b, err := bolt.Open(path)
	if err != nil {
		return err
	}
	upTo, err := strconv.ParseUint(compact, 10, 64)
	if err != nil {
		return err
	}
	errs := make(chan error)
	go func() { errs <- b.Compact(context.Background(), object.ResourceVersion(upTo)) }()
	for i := range 8 {
		go func() { errs <- writeKeys(b, i) }()
	}
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func writeKeys(b *bolt.Backend, worker int) error {
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for {
		w := storage.Write{Key: fmt.Sprintf("r/%d/%d", worker, r.IntN(20)), Next: &object.Encoded{
			Head: []byte{0, 0, 0}, Body: fmt.Appendf(nil, "%d%s", r.Uint64(), strings.Repeat("x", r.IntN(3000)))}}
		var err error
		if w.Prev, err = b.Get(w.Key, 0); err != nil {
			return err
		}
		if w.Prev != nil && r.IntN(4) == 0 {
			w.Next = nil
		}
		version, err := b.Write(context.Background(), w)
		if err != nil {
			return err
		}
		os.Stdout.WriteString(told(version, w.Key, w.Next) + "\n")
	}
}

// told is one write as a line.
func told(version object.ResourceVersion, key string, next *object.Encoded) string {
	if next == nil {
		return fmt.Sprintf("%d %s deleted", version, key)
	}
	id, _, _ := strings.Cut(string(next.Body), "x")
	return fmt.Sprintf("%d %s %s %d", version, key, id, len(next.Body))
}

func TestNothingAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	path := filepath.Join(t.TempDir(), "data")
	watched := object.ResourceVersion(1) // up to where the changes have been seen
	state := map[string]object.ResourceVersion{}
	for range rounds {
		acknowledged := killWhileWriting(t, path, watched)
		b := open(t, path)
		require.LessOrEqual(t, b.Compacted(), watched)
		feed := map[object.ResourceVersion]string{}
		require.NoError(t, b.Changes("", watched, func(c storage.Change) bool {
			require.Equal(t, watched+1, c.Version, "changes come without gaps or repetitions")
			watched = c.Version
			feed[c.Version] = told(c.Version, c.Key, c.Next)
			var before object.ResourceVersion
			if c.Prev != nil {
				before = c.Prev.Version
			}
			require.Equal(t, state[c.Key], before, "what was before version %d", c.Version)
			if delete(state, c.Key); c.Next != nil {
				state[c.Key] = c.Version
			}
			return true
		}))
		require.Equal(t, b.Version(), watched)
		for _, line := range acknowledged {
			version, _, _ := strings.Cut(line, " ")
			v, err := strconv.ParseUint(version, 10, 64)
			require.NoError(t, err)
			require.Equal(t, line, feed[object.ResourceVersion(v)], "every acknowledged write is new, and there")
		}
		found := map[string]object.ResourceVersion{}
		require.NoError(t, b.Scan("", "", 0, nil, func(key string, e *object.Encoded) bool {
			found[key] = e.Version
			return true
		}))
		require.Equal(t, state, found)
		require.NoError(t, b.Close())
	}
	t.Logf("%d writes survived %d kills", watched-1, rounds)
}

// killWhileWriting kills a writing child after a random time and returns what it
// had told until then.
func killWhileWriting(t *testing.T, path string, compact object.ResourceVersion) (lines []string) {
	cmd := child(t, "write", path, strconv.FormatUint(uint64(compact), 10))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	scanner := bufio.NewScanner(out)
	require.True(t, scanner.Scan(), "the child acknowledges something")
	lines = append(lines, scanner.Text())
	time.AfterFunc(rand.N(60*time.Millisecond), func() { _ = cmd.Process.Kill() })
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	require.NoError(t, scanner.Err())
	require.Error(t, cmd.Wait())
	return lines
}

// writeUntilFailure writes until a commit fails, checks what the backend does from
// then on, and tells all acknowledged writes. With a limit, no file may
// become larger than that many bytes.
func writeUntilFailure(path, limit string) error {
	if limit != "" {
		signal.Ignore(syscall.SIGXFSZ)
		bytes, err := strconv.ParseUint(limit, 10, 64)
		if err != nil {
			return err
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
			return err
		}
	}
	return failAndCheck(path, os.Stdout)
}

// failAndCheck is the common part of the tests in which a commit fails.
func failAndCheck(path string, out io.Writer) error {
	b, err := bolt.Open(path)
	if err != nil {
		return err
	}
	var published object.ResourceVersion
	b.OnCommit(func(changes []storage.Change) { published = changes[len(changes)-1].Version })
	acknowledged, refused, failure := fillUp(b)
	for _, line := range acknowledged {
		fmt.Fprintln(out, line)
	}
	last := object.ResourceVersion(len(acknowledged) + 1)
	_, again := b.Write(context.Background(), storage.Write{Key: "r/again", Next: &object.Encoded{Body: []byte("x")}})
	seen := 0
	err = errors.Join(
		b.Scan("", "", 0, nil, func(string, *object.Encoded) bool { seen++; return true }),
		b.Changes("", 0, func(c storage.Change) bool { seen++; return c.Version <= last }),
	)
	switch {
	case err != nil:
		return fmt.Errorf("reading after the failure: %w", err)
	case !strings.Contains(failure.Error(), path):
		return fmt.Errorf("the failure does not name the file: %w", failure)
	case !errors.Is(again, storage.ErrReadOnly) || !strings.Contains(again.Error(), path+" must be opened again"):
		return fmt.Errorf("a write after the failure gave %w", again)
	case b.Version() != last || published != last:
		return fmt.Errorf("%d writes were acknowledged, but the version is %d, and %d was published", len(acknowledged), b.Version(), published)
	case seen != 2*len(acknowledged):
		return fmt.Errorf("%d writes were acknowledged, but %d are seen", len(acknowledged), seen)
	}
	for _, key := range refused {
		if e, err := b.Get(key, 0); e != nil || err != nil {
			return fmt.Errorf("%s was refused, and read as %v, %w", key, e, err)
		}
	}
	return b.Close()
}

// fillUp creates objects from several goroutines until every one has failed.
func fillUp(b *bolt.Backend) (acknowledged, refused []string, failure error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("r/%d/%d", worker, i)
				next := &object.Encoded{Head: []byte{0, 0, 0}, Body: []byte(strings.Repeat("x", 20_000))}
				version, err := b.Write(context.Background(), storage.Write{Key: key, Next: next})
				mu.Lock()
				if err == nil {
					acknowledged = append(acknowledged, told(version, key, next))
					mu.Unlock()
					continue
				}
				refused, failure = append(refused, key), err
				mu.Unlock()
				return
			}
		})
	}
	group.Wait()
	return acknowledged, refused, failure
}

// requireKept opens a file again after a failure.
func requireKept(t *testing.T, path string, acknowledged []string) {
	t.Helper()
	require.NotEmpty(t, acknowledged)
	b := open(t, path)
	feed := map[string]bool{}
	require.NoError(t, b.Changes("", 0, func(c storage.Change) bool {
		feed[told(c.Version, c.Key, c.Next)] = true
		return true
	}))
	for _, line := range acknowledged {
		require.True(t, feed[line], "%s is lost", line)
	}
	before := b.Version()
	version, err := b.Write(t.Context(), storage.Write{Key: "r/after", Next: &object.Encoded{Head: []byte{0, 0, 0}, Body: []byte("x")}})
	require.NoError(t, err)
	require.Equal(t, before+1, version)
}

func TestAFileThatMayNotGrowFailsTheCommitOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	out, err := child(t, "fail", path, strconv.Itoa(24<<20)).Output()
	require.NoError(t, err)
	requireKept(t, path, strings.Split(strings.TrimSpace(string(out)), "\n"))
}

func TestAFailingSyncFailsTheCommitOnly(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace to make a sync fail with")
	}
	// One after the other, the data and the meta page of a commit are synced; both are to fail, once and for ever.
	for _, when := range []string{"40", "41", "40+", "41+"} {
		t.Run("sync "+when, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			cmd := child(t, "fail", path, "", strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when="+when)
			out, err := cmd.Output()
			require.NoError(t, err)
			requireKept(t, path, strings.Split(strings.TrimSpace(string(out)), "\n"))
		})
	}
}
