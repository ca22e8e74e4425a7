package apitest_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// life is a test within another one: what it cleans up, it cleans up at its end, and what is wrong
// with it is told and does no harm.
type life struct {
	testing.TB
	cleanups []func()

	mu     sync.Mutex
	failed bool
	log    strings.Builder
}

func (l *life) Cleanup(f func()) { l.cleanups = append(l.cleanups, f) }

func (l *life) Errorf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true
	fmt.Fprintf(&l.log, format+"\n", args...)
}

func (l *life) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	runtime.Goexit()
}

func (l *life) Log(args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(&l.log, args...)
}

func (l *life) Failed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// end cleans up and gives what was told.
func (l *life) end() string {
	for i := len(l.cleanups) - 1; i >= 0; i-- {
		l.cleanups[i]()
	}
	return l.log.String()
}
