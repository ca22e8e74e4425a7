package controller_test

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/examples/operator/controller"
)

// register is who has which host, as somebody outside of the cluster keeps it.
type register struct {
	mu    sync.Mutex
	owner map[string]string
	down  int // so many calls fail before one succeeds
	calls int
}

func newRegister() *register { return &register{owner: map[string]string{}} }

var errDown = errors.New("the register is down")

func (r *register) Claim(_ context.Context, host, owner string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.answer(); err != nil {
		return err
	}
	if by := r.owner[host]; by != "" && by != owner {
		return controller.ErrTaken
	}
	r.owner[host] = owner
	return nil
}

func (r *register) Release(_ context.Context, host, owner string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.answer(); err != nil {
		return err
	}
	if r.owner[host] == owner {
		delete(r.owner, host)
	}
	return nil
}

// answer counts a call and says whether it fails. The caller holds the lock.
func (r *register) answer() error {
	r.calls++
	if r.down > 0 {
		r.down--
		return errDown
	}
	return nil
}

// ownerOf says who has a host; "" for nobody.
func (r *register) ownerOf(host string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owner[host]
}

// fail has the next calls fail.
func (r *register) fail(calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down, r.calls = calls, 0
}

// called says how many calls there were since fail.
func (r *register) called() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}
