package storage

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// upkeep is what a store does in the background, in one goroutine: it compacts
// history by age and count, and removes objects whose time has come. What fails
// is tried again at the next tick; a backend that fails tells its writers itself.
type upkeep struct {
	store *Store
	tick  time.Duration
	wake  chan struct{}
	end   context.CancelFunc
	done  chan struct{} // closed when the goroutine is gone

	compacted atomic.Uint64 // the target reached last, for committed
	nextDue   atomic.Int64  // Unix nanoseconds of the next expiry; 0 if there is none

	ages []aged // of the goroutine
}

// aged is which version was the newest at a time.
type aged struct {
	at      time.Time
	version object.ResourceVersion
}

const (
	maxTick = 10 * time.Second
	minTick = 10 * time.Millisecond

	// expiryBatch is how many expired objects are removed before new ones are looked for.
	expiryBatch = 500
)

func newUpkeep(s *Store) *upkeep {
	u := &upkeep{
		store: s,
		tick:  min(max(s.options.KeepAge/30, minTick), maxTick),
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
	}
	u.compacted.Store(uint64(s.backend.Compacted()))
	return u
}

func (u *upkeep) start() {
	var ctx context.Context
	ctx, u.end = context.WithCancel(context.Background())
	go u.run(ctx)
}

// stop ends the goroutine and waits for it.
func (u *upkeep) stop() {
	u.end()
	<-u.done
}

// committed wakes the goroutine early when there is much more history than wanted.
func (u *upkeep) committed(version object.ResourceVersion) {
	keep := uint64(u.store.options.KeepCount)
	if uint64(version)-u.compacted.Load() > keep+keep/10+1 {
		u.poke()
	}
}

// expiresAt wakes the goroutine if something expires before all it knows of.
func (u *upkeep) expiresAt(t time.Time) {
	if next := u.nextDue.Load(); next == 0 || t.UnixNano() < next {
		u.poke()
	}
}

func (u *upkeep) poke() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

func (u *upkeep) run(ctx context.Context) {
	defer close(u.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.wake:
		case <-timer.C:
		}
		next := u.expire(ctx)
		u.compact(ctx)
		timer.Reset(u.pause(next))
	}
}

// pause is how long there is nothing to do unless somebody pokes.
func (u *upkeep) pause(nextDue time.Time) time.Duration {
	if nextDue.IsZero() {
		return u.tick
	}
	return min(u.tick, max(time.Until(nextDue), minTick))
}

// expire removes what has expired and returns when the next object does, if any.
func (u *upkeep) expire(ctx context.Context) time.Time {
	for ctx.Err() == nil {
		due, next, err := u.store.backend.Expired(time.Now(), expiryBatch)
		if err != nil {
			break
		}
		failing := u.remove(ctx, due)
		if len(due) == expiryBatch && !failing {
			continue
		}
		if failing {
			break
		}
		u.nextDue.Store(0)
		if !next.IsZero() {
			u.nextDue.Store(next.UnixNano())
		}
		return next
	}
	return time.Time{}
}

// remove deletes keys that are still as they were when they expired. A conflict
// is no failure: somebody wrote the key again.
func (u *upkeep) remove(ctx context.Context, due []Due) (failing bool) {
	for _, d := range due {
		e, err := u.store.backend.Get(d.Key, 0)
		if err != nil {
			return true
		}
		if e == nil || e.Version != d.Version {
			continue
		}
		key := parseKey(d.Key)
		if _, err := u.store.Remove(ctx, key, e); err != nil && !object.IsConflict(err) {
			return true
		}
	}
	return false
}

// compact forgets what is older than KeepAge or beyond KeepCount.
func (u *upkeep) compact(ctx context.Context) {
	now, version := time.Now(), u.store.backend.Version()
	target := u.tooOld(now, version)
	if keep := object.ResourceVersion(u.store.options.KeepCount); version > keep {
		target = max(target, version-keep)
	}
	if target <= u.store.backend.Compacted() {
		return
	}
	if err := u.store.backend.Compact(ctx, target); err == nil {
		u.compacted.Store(uint64(target))
	}
}

// tooOld notes the version of now and returns the one that was the newest KeepAge ago.
func (u *upkeep) tooOld(now time.Time, version object.ResourceVersion) (target object.ResourceVersion) {
	if n := len(u.ages); n == 0 || version > u.ages[n-1].version && now.Sub(u.ages[n-1].at) >= u.tick {
		u.ages = append(u.ages, aged{now, version})
	}
	old := 0
	for old < len(u.ages) && now.Sub(u.ages[old].at) >= u.store.options.KeepAge {
		target = u.ages[old].version
		old++
	}
	u.ages = append(u.ages[:0], u.ages[old:]...)
	return target
}
