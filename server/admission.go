package server

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Admit adds stages of admission to those that there are, for every write from now on, of
// HTTP and of Go programs. Mutators see an object as its writer meant it, before its kind
// prepares and checks it; validators see it as it will be stored. What is stored in the
// cluster (policies, webhooks) mutates after the mutators given here and validates before
// the validators, so that one that charges for what is admitted comes last.
func (s *Server) Admit(stages admission.Chain) { s.admissions.add(stages) }

// admissions are the stages that writes go through.
type admissions struct {
	registrations registrations

	changes atomic.Uint64 // how often something changed that makes the chain another one
	stopped atomic.Bool   // nobody tells of changes any more

	mu    sync.Mutex // held by whoever makes the chain anew
	own   admission.Chain
	chain atomic.Pointer[stages]
}

// stages are the chain as it was after so many changes; it is nil if it is empty.
type stages struct {
	chain   *admission.Chain
	changes uint64
}

func (a *admissions) add(stages admission.Chain) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.own.Mutators = append(slices.Clip(a.own.Mutators), stages.Mutators...)
	a.own.Validators = append(slices.Clip(a.own.Validators), stages.Validators...)
	a.changes.Add(1)
}

// notice is told of every commit, and must not block.
func (a *admissions) notice(events []object.Event) {
	for i := range events {
		if events[i].Key.Group == registrationGroup {
			a.changes.Add(1)
			return
		}
	}
}

// kindsChanged says that other kinds are served now.
func (a *admissions) kindsChanged() { a.changes.Add(1) }

// current gives the chain as it is now: what was stored before the call is in force.
func (a *admissions) current(ctx context.Context) (*admission.Chain, error) {
	if now := a.chain.Load(); a.knows(now, a.changes.Load()) {
		return now.chain, nil
	}
	return a.renew(ctx)
}

// knows says whether stages are those after so many changes.
func (a *admissions) knows(now *stages, changes uint64) bool {
	return now != nil && now.changes == changes && !a.stopped.Load()
}

// stop makes the server look at what is stored for each of the writes that it still ends.
func (a *admissions) stop() {
	a.stopped.Store(true)
	a.registrations.clients.Close()
}

func (a *admissions) renew(ctx context.Context) (*admission.Chain, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	changes := a.changes.Load()
	if now := a.chain.Load(); a.knows(now, changes) {
		return now.chain, nil
	}
	stored, err := a.registrations.read(ctx)
	if err != nil {
		return nil, err
	}
	chain := &admission.Chain{
		Mutators:   slices.Concat(a.own.Mutators, stored.Mutators),
		Validators: slices.Concat(stored.Validators, a.own.Validators),
	}
	if len(chain.Mutators)+len(chain.Validators) == 0 {
		chain = nil
	}
	a.chain.Store(&stages{chain, changes})
	return chain, nil
}
