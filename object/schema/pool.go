package schema

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Pool lets the schemas of many kinds share their equal branches, of which real
// definitions have many (a pod template, say). It keeps no schema alive. The zero
// Pool is ready to use, by several goroutines as well.
type Pool struct {
	mu     sync.Mutex
	seed   maphash.Seed
	nodes  map[uint64]weak.Pointer[Schema]
	sweep  int // how many nodes there are before the next search for dead ones
	texts  map[string]string
	shared map[string]*Pattern
}

// Parse is [Parse] that shares branches with other schemas of the pool. It also
// lists the paths of fields that the API doesn't know, in the order of the paths; as
// in the API, those inside of items and additionalProperties are not listed.
func (p *Pool) Parse(doc map[string]any) (s *Schema, unknown []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	parser := parser{pool: p}
	s = parser.schema(doc)
	p.texts, p.shared = nil, nil
	p.forget()
	if parser.wrong != nil {
		return nil, nil, parser.wrong
	}
	slices.Sort(parser.unknown)
	return s, parser.unknown, nil
}

func (p *Pool) begin() {
	if p.nodes == nil {
		p.nodes = map[uint64]weak.Pointer[Schema]{}
		p.seed = maphash.MakeSeed()
		p.sweep = 1024
	}
	p.texts = map[string]string{}
	p.shared = map[string]*Pattern{}
}

// forget drops the nodes that nobody uses any more, now and then.
func (p *Pool) forget() {
	if len(p.nodes) < p.sweep {
		return
	}
	for hash, node := range p.nodes {
		if node.Value() == nil {
			delete(p.nodes, hash)
		}
	}
	p.sweep = max(1024, 2*len(p.nodes))
}

// share gives a node equal to s, all of whose children went through share before. It
// doesn't keep s.
func (p *Pool) share(s *Schema) *Schema {
	hash := p.hash(s)
	if node, ok := p.nodes[hash]; ok {
		if twin := node.Value(); twin != nil && s.sameNode(twin) {
			return twin
		}
	}
	own := new(Schema)
	*own = *s
	own.derive()
	p.nodes[hash] = weak.Make(own)
	return own
}

// text gives an equal string that shares memory with no document.
func (p *Pool) text(s string) string {
	if s == "" {
		return ""
	}
	t, ok := p.texts[s]
	if !ok {
		t = strings.Clone(s)
		p.texts[t] = t
	}
	return t
}

func (p *Pool) pattern(source string) *Pattern {
	if source == "" {
		return nil
	}
	pattern, ok := p.shared[source]
	if !ok {
		pattern = &Pattern{Source: source}
		p.shared[source] = pattern
	}
	return pattern
}

// value copies a value of a document.
func (p *Pool) value(v any) any {
	switch v := v.(type) {
	case string:
		return p.text(v)
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, e := range v {
			m[p.text(name)] = p.value(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = p.value(e)
		}
		return list
	}
	return v
}

// hash covers what [Schema.sameNode] compares: there is room for one node with a hash, and
// two that took turns in it would not be shared.
func (p *Pool) hash(s *Schema) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for _, text := range []string{s.Type, s.Format, s.Title, s.Description, s.Pattern.String(), s.ListType, s.MapType} {
		h.WriteString(text)
		h.WriteByte(0)
	}
	for _, n := range []*int64{s.MaxLength, s.MinLength, s.MaxItems, s.MinItems, s.MaxProperties, s.MinProperties} {
		hashNumber(&h, n != nil, valueOf(n))
	}
	for _, n := range []*float64{s.Maximum, s.Minimum, s.MultipleOf} {
		hashNumber(&h, n != nil, int64(math.Float64bits(valueOf(n))))
	}
	for _, list := range [][]string{s.Required, s.ListMapKeys} {
		for _, text := range list {
			h.WriteString(text)
			h.WriteByte(0)
		}
		hashEnd(&h, list)
	}
	maphash.WriteComparable(&h, [...]bool{s.ExclusiveMaximum, s.ExclusiveMinimum, s.UniqueItems, s.Nullable, s.PreserveUnknownFields,
		s.EmbeddedResource, s.IntOrString, s.Default != nil, s.Example != nil, s.AdditionalProperties != nil})
	if s.Default != nil {
		hashValue(&h, s.Default)
	}
	if s.Example != nil {
		hashValue(&h, s.Example)
	}
	for _, v := range s.Enum {
		hashValue(&h, v)
	}
	hashEnd(&h, s.Enum)
	if s.origin != nil {
		maphash.WriteComparable(&h, *s.origin)
	}
	if s.ExternalDocs != nil {
		maphash.WriteComparable(&h, *s.ExternalDocs)
	}
	if s.AdditionalProperties != nil {
		maphash.WriteComparable(&h, *s.AdditionalProperties)
	}
	hashNode(&h, s.Items)
	hashNode(&h, s.Not)
	for _, p := range s.Properties {
		h.WriteString(p.Name)
		hashNode(&h, p.Schema)
	}
	hashEnd(&h, s.Properties)
	for _, list := range [][]*Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, child := range list {
			hashNode(&h, child)
		}
		hashEnd(&h, list)
	}
	for _, r := range s.Rules {
		maphash.WriteComparable(&h, [...]bool{r.OptionalOldSelf != nil, valueOf(r.OptionalOldSelf)})
		r.OptionalOldSelf = nil
		maphash.WriteComparable(&h, r)
	}
	return h.Sum64()
}

// hashEnd ends a list. It tells an empty one from none.
func hashEnd[T any](h *maphash.Hash, list []T) { maphash.WriteComparable(h, list == nil) }

func valueOf[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func hashNumber(h *maphash.Hash, set bool, n int64) {
	if !set {
		h.WriteByte(0)
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}

func hashValue(h *maphash.Hash, v any) {
	if text, ok := v.(string); ok {
		h.WriteString(text)
		h.WriteByte(0)
		return
	}
	var room [128]byte
	h.Write(object.AppendJSON(room[:0], v))
}

// hashNode tells shared children apart: equal ones are one node.
func hashNode(h *maphash.Hash, s *Schema) { maphash.WriteComparable(h, s) }

// sameNode compares everything, children by identity.
func (s *Schema) sameNode(t *Schema) bool {
	if s.odd != nil || t.odd != nil {
		return false // rare, and refused anyway
	}
	return s.sameTexts(t) && s.sameFlags(t) && s.sameLimits(t) && s.sameChildren(t) &&
		sameValue(s.Default, t.Default) && sameValue(s.Example, t.Example) && (s.Enum == nil) == (t.Enum == nil) && slices.EqualFunc(s.Enum, t.Enum, sameValue) &&
		slices.EqualFunc(s.Rules, t.Rules, sameRule)
}

func (s *Schema) sameTexts(t *Schema) bool {
	return s.Type == t.Type && s.Format == t.Format && s.Title == t.Title && s.Description == t.Description &&
		samePointed(s.ExternalDocs, t.ExternalDocs) && s.Pattern.String() == t.Pattern.String() &&
		s.ListType == t.ListType && s.MapType == t.MapType &&
		sameList(s.Required, t.Required) && sameList(s.ListMapKeys, t.ListMapKeys) && samePointed(s.origin, t.origin)
}

func (s *Schema) sameFlags(t *Schema) bool {
	return s.ExclusiveMaximum == t.ExclusiveMaximum && s.ExclusiveMinimum == t.ExclusiveMinimum &&
		s.UniqueItems == t.UniqueItems && s.Nullable == t.Nullable &&
		s.PreserveUnknownFields == t.PreserveUnknownFields && s.EmbeddedResource == t.EmbeddedResource && s.IntOrString == t.IntOrString
}

func (s *Schema) sameLimits(t *Schema) bool {
	return samePointed(s.Maximum, t.Maximum) && samePointed(s.Minimum, t.Minimum) && samePointed(s.MultipleOf, t.MultipleOf) &&
		samePointed(s.MaxLength, t.MaxLength) && samePointed(s.MinLength, t.MinLength) &&
		samePointed(s.MaxItems, t.MaxItems) && samePointed(s.MinItems, t.MinItems) &&
		samePointed(s.MaxProperties, t.MaxProperties) && samePointed(s.MinProperties, t.MinProperties)
}

func (s *Schema) sameChildren(t *Schema) bool {
	return s.Items == t.Items && s.Not == t.Not && samePointed(s.AdditionalProperties, t.AdditionalProperties) &&
		sameList(s.Properties, t.Properties) &&
		sameList(s.AllOf, t.AllOf) && sameList(s.AnyOf, t.AnyOf) && sameList(s.OneOf, t.OneOf)
}

// sameList tells an empty list from none, as messages that show a schema do.
func sameList[T comparable](a, b []T) bool {
	return (a == nil) == (b == nil) && slices.Equal(a, b)
}

func samePointed[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameRule(a, b Rule) bool {
	optionalA, optionalB := a.OptionalOldSelf, b.OptionalOldSelf
	a.OptionalOldSelf, b.OptionalOldSelf = nil, nil
	return a == b && samePointed(optionalA, optionalB)
}

// sameValue compares values of documents. An int64 never equals a float64.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && object.Object(a).Equal(b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}
