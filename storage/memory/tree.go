package memory

import "slices"

// fanout is how many keys or children a node of a tree holds at most.
const fanout = 32

// tree is an ordered map that never changes: set and remove give a new one,
// which shares all but the path to the key with the old one. The zero tree is empty.
type tree[V any] struct{ root *node[V] }

// node is a leaf, with a value for each key, or, with kids, an inner node whose
// keys[i] is a lower bound of what is in kids[i] and above all in kids[i-1].
type node[V any] struct {
	keys   []string
	values []V
	kids   []*node[V]
}

func (t tree[V]) get(key string) (v V, ok bool) {
	n := t.root
	if n == nil {
		return v, false
	}
	for n.kids != nil {
		n = n.kids[n.child(key)]
	}
	i, ok := slices.BinarySearch(n.keys, key)
	if !ok {
		return v, false
	}
	return n.values[i], true
}

// ascend visits the entries from a key on, in order, until visit says false.
func (t tree[V]) ascend(from string, visit func(key string, v V) bool) {
	if t.root != nil {
		t.root.ascend(from, visit)
	}
}

func (t tree[V]) set(key string, v V) tree[V] {
	if t.root == nil {
		return tree[V]{&node[V]{keys: []string{key}, values: []V{v}}}
	}
	left, right := t.root.set(key, v)
	if right == nil {
		return tree[V]{left}
	}
	return tree[V]{&node[V]{keys: []string{left.keys[0], right.keys[0]}, kids: []*node[V]{left, right}}}
}

func (t tree[V]) remove(key string) tree[V] {
	if _, ok := t.get(key); !ok {
		return t
	}
	root := t.root.remove(key)
	for len(root.kids) == 1 {
		root = root.kids[0]
	}
	if len(root.keys) == 0 {
		return tree[V]{}
	}
	return tree[V]{root}
}

// child is the place of the kid that has the key, if any has.
func (n *node[V]) child(key string) int {
	i, found := slices.BinarySearch(n.keys, key)
	if found {
		return i
	}
	return max(i-1, 0)
}

func (n *node[V]) ascend(from string, visit func(string, V) bool) bool {
	if n.kids == nil {
		i, _ := slices.BinarySearch(n.keys, from)
		for ; i < len(n.keys); i++ {
			if !visit(n.keys[i], n.values[i]) {
				return false
			}
		}
		return true
	}
	for i := n.child(from); i < len(n.kids); i++ {
		if !n.kids[i].ascend(from, visit) {
			return false
		}
	}
	return true
}

// set gives the node with the entry; two of them if one would be too large.
func (n *node[V]) set(key string, v V) (left, right *node[V]) {
	if n.kids == nil {
		i, found := slices.BinarySearch(n.keys, key)
		if found {
			c := &node[V]{keys: n.keys, values: slices.Clone(n.values)}
			c.values[i] = v
			return c, nil
		}
		return (&node[V]{keys: inserted(n.keys, i, key), values: inserted(n.values, i, v)}).split(i)
	}
	i := n.child(key)
	left, right = n.kids[i].set(key, v)
	c := &node[V]{keys: n.keys, kids: slices.Clone(n.kids)}
	c.kids[i] = left
	if left.keys[0] < c.keys[i] {
		c.keys = slices.Clone(c.keys)
		c.keys[i] = left.keys[0]
	}
	if right == nil {
		return c, nil
	}
	c.keys, c.kids = inserted(c.keys, i+1, right.keys[0]), inserted(c.kids, i+1, right)
	return c.split(i + 1)
}

// split halves a node that has become too large. One that grew at its end leaves
// almost all on the left, since keys often come in ascending order.
func (n *node[V]) split(grownAt int) (left, right *node[V]) {
	size := len(n.keys)
	if size <= fanout {
		return n, nil
	}
	at := size / 2
	if grownAt == size-1 {
		at = size - 2
	}
	return n.part(0, at), n.part(at, size)
}

func (n *node[V]) part(from, to int) *node[V] {
	p := &node[V]{keys: slices.Clone(n.keys[from:to])}
	if n.kids == nil {
		p.values = slices.Clone(n.values[from:to])
	} else {
		p.kids = slices.Clone(n.kids[from:to])
	}
	return p
}

// remove gives the node without the entry, which must be there. The result may
// be empty.
func (n *node[V]) remove(key string) *node[V] {
	if n.kids == nil {
		i, _ := slices.BinarySearch(n.keys, key)
		return &node[V]{keys: without(n.keys, i), values: without(n.values, i)}
	}
	i := n.child(key)
	kid := n.kids[i].remove(key)
	if len(kid.keys) == 0 {
		return &node[V]{keys: without(n.keys, i), kids: without(n.kids, i)}
	}
	c := &node[V]{keys: n.keys, kids: slices.Clone(n.kids)}
	c.kids[i] = kid
	if len(kid.keys) > fanout/4 {
		return c
	}
	return c.mergeAt(max(i, 1))
}

// mergeAt joins kids i-1 and i if they fit into one; it owns kids.
func (n *node[V]) mergeAt(i int) *node[V] {
	if i >= len(n.kids) || len(n.kids[i-1].keys)+len(n.kids[i].keys) > fanout/2 {
		return n
	}
	a, b := n.kids[i-1], n.kids[i]
	n.kids[i-1] = &node[V]{keys: slices.Concat(a.keys, b.keys), values: slices.Concat(a.values, b.values), kids: slices.Concat(a.kids, b.kids)}
	return &node[V]{keys: without(n.keys, i), kids: without(n.kids, i)}
}

func inserted[E any](list []E, i int, e E) []E {
	out := make([]E, len(list)+1)
	copy(out, list[:i])
	out[i] = e
	copy(out[i+1:], list[i:])
	return out
}

func without[E any](list []E, i int) []E {
	out := make([]E, len(list)-1)
	copy(out, list[:i])
	copy(out[i:], list[i+1:])
	return out
}
