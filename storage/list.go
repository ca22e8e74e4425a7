package storage

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// List is one page of a collection in one state of the store, read as it goes. It
// is for one goroutine.
type List struct {
	store   *Store
	opts    ListOptions
	gr      object.GroupResource
	prefix  string // of the keys
	within  string // prefix of those that can be selected
	skip    int    // bytes of a key up to the namespace or name
	start   string // first key of the page
	from    string // first key to come
	version object.ResourceVersion
	limit   int64

	visited   int64
	last      string // key visited last
	done      bool
	more      bool // keys remain behind this page
	remaining *int64
}

// List starts a list of a collection: all objects of the resource if the key has
// no namespace, else those of the namespace. Whatever is wrong with the options is
// told here: Invalid, BadRequest, Timeout for a version that is not reached, and
// Expired for one whose history is gone; for the page of a list that was begun
// then, the latter carries a token to go on with in the newest state.
func (s *Store) List(ctx context.Context, collection object.Key, opts ListOptions) (*List, error) {
	if err := ctx.Err(); err != nil {
		return nil, failed("listing", collection, err)
	}
	at, err := opts.resolve(s.Version())
	if err != nil {
		return nil, err
	}
	collection.Name = ""
	prefix := keyText(collection)
	l := &List{
		store: s, opts: opts, gr: collection.GroupResource, prefix: prefix, within: prefix,
		skip:  len(keyText(object.Key{GroupResource: collection.GroupResource})),
		start: prefix + at.start, from: prefix + at.start, version: at.version, limit: opts.limit(),
	}
	if name, ok := opts.Selector.Fields.Exact("metadata.name"); ok && collection.Namespace != "" {
		l.within += name
	}
	if l.version < s.backend.Compacted() {
		return nil, opts.listError(ErrCompacted, at.start)
	}
	return l, nil
}

// Version of the state that the list shows.
func (l *List) Version() object.ResourceVersion { return l.version }

// Done says whether the page is complete.
func (l *List) Done() bool { return l.done }

// Continue is the token for the next page, empty if there is none. The page must
// be done.
func (l *List) Continue() string {
	if !l.more {
		return ""
	}
	return nextToken(l.prefix, l.last, l.version)
}

// Remaining is how many objects come behind this page; nil if none do, or if a
// selector makes it unknown. The page must be done.
func (l *List) Remaining() *int64 { return l.remaining }

// Visit visits the objects of the page, in the order of their keys, until visit
// says false or the page is done. Called again, it goes on behind the last object visited, in
// the same state of the store. The bytes of e are valid during the call only.
//
// While visit runs, the backend may have to keep what is being read: a caller
// that waits (for a slow client, say) leaves Visit before it does.
func (l *List) Visit(visit func(key object.Key, e *object.Encoded) (more bool)) error {
	if l.done {
		return nil
	}
	stopped := false
	err := l.scan(l.within, l.match(), func(key string, e *object.Encoded) bool {
		at := keyIn(l.gr, key[l.skip:])
		if selector := &l.opts.Selector; selector.Read != nil && !selector.Matches(at, e) {
			return true // its document says so, which was not at hand before
		}
		l.last = key
		l.visited++
		stopped = !visit(at, e)
		return !stopped && !l.full()
	})
	if err != nil {
		return err
	}
	if l.last != "" {
		l.from = l.last + "\x00"
	}
	if stopped && !l.full() {
		return nil
	}
	l.done = true
	if l.full() {
		return l.lookAhead()
	}
	return nil
}

// full says whether the page has as many objects as it may.
func (l *List) full() bool { return l.limit > 0 && l.visited >= l.limit }

// Each visits what is left of the page and ends with the first error of visit. It is
// [List.Visit] for a caller that waits for nobody meanwhile.
func (l *List) Each(visit func(key object.Key, e *object.Encoded) error) error {
	var failure error
	err := l.Visit(func(key object.Key, e *object.Encoded) bool {
		failure = visit(key, e)
		return failure == nil
	})
	if failure != nil {
		return failure
	}
	return err
}

func (l *List) match() func(key string, e *object.Encoded) bool {
	selector := l.opts.Selector
	switch {
	case selector.Empty():
		return nil
	case selector.Fields.Empty():
		return func(_ string, e *object.Encoded) bool { return selector.Labels.MatchesEncoded(e) }
	}
	return func(key string, e *object.Encoded) bool {
		return selector.Matches(keyIn(l.gr, key[l.skip:]), e)
	}
}

// lookAhead finds out what is behind a full page: for a list of all objects how
// many, for a selection only whether anything is, selected or not, as the API has it.
func (l *List) lookAhead() error {
	if l.ofOne() {
		return nil
	}
	if !l.opts.Selector.Empty() {
		behind, err := l.count(1)
		l.more = behind > 0
		return err
	}
	counts := &l.store.counts
	behind, known := counts.get(pageStart{l.prefix, l.start, l.version})
	behind -= l.visited
	if !known {
		var err error
		if behind, err = l.count(math.MaxInt64); err != nil {
			return err
		}
		counts.set(pageStart{l.prefix, l.start, l.version}, behind+l.visited)
	}
	if l.more = behind > 0; l.more {
		l.remaining = &behind
		counts.set(pageStart{l.prefix, l.from, l.version}, behind)
	}
	return nil
}

// ofOne says whether the object visited last is the only one that can be selected: names are
// unique in a namespace, or where there are none.
func (l *List) ofOne() bool {
	fields := l.opts.Selector.Fields
	if _, ok := fields.Exact("metadata.name"); !ok {
		return false
	}
	_, inOne := fields.Exact("metadata.namespace")
	return inOne || len(l.prefix) > l.skip || keyIn(l.gr, l.last[l.skip:]).Namespace == ""
}

// count counts the keys behind the page, up to a limit, without reading them.
func (l *List) count(limit int64) (n int64, err error) {
	never := func(string, *object.Encoded) bool { return false }
	err = l.scan(l.prefix, func(string, *object.Encoded) bool { n++; return n >= limit }, never)
	return n, err
}

func (l *List) scan(prefix string, match, visit func(key string, e *object.Encoded) bool) error {
	err := l.store.backend.Scan(prefix, l.from, l.version, match, visit)
	if err != nil {
		return l.opts.listError(fmt.Errorf("listing %s: %w", l.gr, err), l.from[len(l.prefix):])
	}
	return nil
}
