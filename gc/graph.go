package gc

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// graph is who owns whom, from metadata only. It knows objects that have owners, objects that
// others name as owners, and those that wait for the collector; it keeps nothing of any other. It
// is a value without locks.
type graph struct {
	nodes  map[string]*node // by uid
	places map[place]*place // each once
	due    func(uid string) // told whom to look at
}

// place is what the objects of a kind in a namespace have in common.
type place struct {
	object.GroupResource
	kind, namespace string
}

// node is an object or, until it is seen, what others say of one.
type node struct {
	uid, name  string
	place      *place // nil until the object is seen
	claim      *claim // until then, where the first dependent says it is
	owners     []edge
	dependents map[*node]struct{} // nil for none
	state      state
	waiting    bool // it is being deleted and waits until its dependents are
	orphaning  bool // it is being deleted and waits until its dependents are on their own
}

func (n *node) key() object.Key {
	if n.place == nil {
		return object.Key{}
	}
	return object.Key{GroupResource: n.place.GroupResource, Namespace: n.place.namespace, Name: n.name}
}

// edge leads to an owner.
type edge struct {
	owner  *node
	blocks bool // the deletion of the owner in the foreground
}

// claim is where a dependent says its owner is.
type claim struct {
	kind            object.GroupVersionKind
	namespace, name string // the namespace of the dependent
}

type state uint8

const (
	unseen state = iota // only dependents have told of it
	there
	gone // for good: no other object gets its uid
)

func newGraph(due func(uid string)) *graph {
	return &graph{nodes: map[string]*node{}, places: map[place]*place{}, due: due}
}

// observe takes note of a change.
func (g *graph) observe(e Event) {
	uid := e.Object.UID()
	if e.Type == object.Deleted {
		g.lost(uid)
		return
	}
	n := g.nodes[uid]
	if n == nil && !Concerns(e.Object) {
		return
	}
	if n == nil {
		n = g.add(uid)
	}
	g.seen(n, e.Key, e.Object.Kind())
	g.connect(n, e.Object)
	g.follow(n, e.Object)
	g.prune(n)
}

func (g *graph) add(uid string) *node {
	n := &node{uid: uid}
	g.nodes[uid] = n
	return n
}

// seen takes note of where an object is. Those of its dependents that say otherwise are
// looked at.
func (g *graph) seen(n *node, key object.Key, kind string) {
	at := place{key.GroupResource, kind, key.Namespace}
	shared, ok := g.places[at]
	if !ok {
		shared = &at
		g.places[at] = shared
	}
	n.name, n.place, n.state, n.claim = key.Name, shared, there, nil
}

// connect makes the edges to the owners those that the object names now.
func (g *graph) connect(n *node, o object.Object) {
	before := n.owners
	refs := o.OwnerReferences()
	n.owners = make([]edge, 0, len(refs))
	for i := range refs {
		ref := &refs[i]
		owner := g.owner(n, ref)
		n.owners = append(n.owners, edge{owner, ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion})
		if _, known := owner.dependents[n]; !known {
			if owner.dependents == nil {
				owner.dependents = map[*node]struct{}{}
			}
			owner.dependents[n] = struct{}{}
			g.begin(n, owner, ref)
		}
	}
	for _, e := range before {
		if !n.names(e.owner) {
			g.disconnect(n, e.owner)
		} else if e.blocks {
			g.unblock(e.owner)
		}
	}
}

// owner gives the node of an owner, which may not have been seen.
func (g *graph) owner(n *node, ref *object.OwnerReference) *node {
	owner := g.nodes[ref.UID]
	if owner == nil {
		owner = g.add(ref.UID)
		owner.claim = claimOf(n.place.namespace, ref)
	}
	return owner
}

// claimOf gives what an object in a namespace says of its owner.
func claimOf(namespace string, ref *object.OwnerReference) *claim {
	gv, _ := object.ParseGroupVersion(ref.APIVersion) // a bad one is of a kind that nobody serves
	return &claim{
		kind:      object.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: ref.Kind},
		namespace: namespace, name: ref.Name,
	}
}

// begin has somebody looked at for a new edge: an owner that was not seen, or a dependent that
// names one which is gone, or is not where the dependent says.
func (g *graph) begin(n, owner *node, ref *object.OwnerReference) {
	switch owner.state {
	case unseen:
		if len(owner.dependents) == 1 {
			g.due(owner.uid)
		} else if c := claimOf(n.place.namespace, ref); *c != *owner.claim {
			g.due(n.uid)
		}
	case gone:
		g.due(n.uid)
	case there:
		if owner.waiting || !owner.is(claimOf(n.place.namespace, ref)) {
			g.due(n.uid)
		}
		if owner.orphaning {
			g.due(owner.uid)
		}
	}
}

// is says whether an object that was seen is where a dependent says, and what.
func (n *node) is(c *claim) bool {
	return n.place.kind == c.kind.Kind && n.place.Group == c.kind.Group && n.name == c.name &&
		(n.place.namespace == "" || n.place.namespace == c.namespace)
}

// follow takes note of what the object waits for.
func (g *graph) follow(n *node, o object.Object) {
	deleted := !o.DeletionTimestamp().IsZero()
	waiting := deleted && hasFinalizer(o, object.FinalizerForeground)
	orphaning := deleted && hasFinalizer(o, object.FinalizerOrphan)
	if waiting && !n.waiting {
		for d := range n.dependents {
			g.due(d.uid)
		}
		g.due(n.uid)
	}
	if orphaning && !n.orphaning {
		g.due(n.uid)
	}
	n.waiting, n.orphaning = waiting, orphaning
}

// lost takes note that an object is gone, or never was.
func (g *graph) lost(uid string) {
	n := g.nodes[uid]
	if n == nil {
		return
	}
	n.state, n.waiting, n.orphaning = gone, false, false
	for d := range n.dependents {
		g.due(d.uid)
	}
	owners := n.owners
	n.owners = nil
	for _, e := range owners {
		g.disconnect(n, e.owner)
	}
	g.prune(n)
}

// disconnect takes away a dependent, for which the owner may have waited.
func (g *graph) disconnect(n, owner *node) {
	delete(owner.dependents, n)
	g.unblock(owner)
	g.prune(owner)
}

// unblock has an owner looked at that was waiting for its dependents and need not any more.
func (g *graph) unblock(owner *node) {
	if owner.waiting && !owner.isBlocked() {
		g.due(owner.uid)
	}
}

// prune forgets an object that is of no interest any more.
func (g *graph) prune(n *node) {
	if len(n.owners) == 0 && len(n.dependents) == 0 && !n.waiting && !n.orphaning {
		delete(g.nodes, n.uid)
	}
}

func (n *node) names(owner *node) bool {
	return slices.ContainsFunc(n.owners, func(e edge) bool { return e.owner == owner })
}

// blocks says whether the foreground deletion of an owner has to wait for the object.
func (n *node) blocks(owner *node) bool {
	return slices.ContainsFunc(n.owners, func(e edge) bool { return e.owner == owner && e.blocks })
}

// isBlocked says whether a foreground deletion of the object has to wait for a dependent.
func (n *node) isBlocked() bool {
	for d := range n.dependents {
		if d.blocks(n) {
			return true
		}
	}
	return false
}

func hasFinalizer(o object.Object, name string) bool { return slices.Contains(o.Finalizers(), name) }
