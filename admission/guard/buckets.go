package guard

import (
	"container/list"
	"sync"
	"time"
)

// buckets are token buckets by keys, the most recent ones. A bucket fills at a rate, up to a
// size.
type buckets struct {
	most       int // how many there are
	rate, size float64

	mu     sync.Mutex
	recent list.List // of *bucket, the most recent one first
	byKey  map[string]*list.Element
}

type bucket struct {
	key    string
	tokens float64
	at     time.Time
}

func newBuckets(most int, rate, size float64) *buckets {
	return &buckets{most: most, rate: rate, size: size, byKey: map[string]*list.Element{}}
}

// take takes a token out of the bucket of a key, if there is a whole one.
func (b *buckets) take(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	one := b.of(key, now)
	one.tokens = min(b.size, one.tokens+b.rate*now.Sub(one.at).Seconds())
	one.at = now
	if one.tokens < 1 {
		return false
	}
	one.tokens--
	return true
}

// of gives the bucket of a key, a full one if none is remembered.
func (b *buckets) of(key string, now time.Time) *bucket {
	if e, ok := b.byKey[key]; ok {
		b.recent.MoveToFront(e)
		return e.Value.(*bucket)
	}
	one := &bucket{key, b.size, now}
	b.byKey[key] = b.recent.PushFront(one)
	if len(b.byKey) > b.most {
		oldest := b.recent.Back()
		b.recent.Remove(oldest)
		delete(b.byKey, oldest.Value.(*bucket).key)
	}
	return one
}
