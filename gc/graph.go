package gc

import (
	"slices"
	"unique"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// graph is who owns whom, from metadata only. It knows objects that have owners, objects that
// others name as owners, and those that wait for the collector; it keeps nothing of any other. It
// is a value without locks. What holds between any two calls:
//
//  1. The owners of a node are different nodes of the graph, and it is among the dependents of each.
//  2. blockers of a node is how many of its dependents block it.
//  3. A node has owners, or dependents, or waits for the collector.
//  4. A node was seen if it has owners or waits.
//
// And whom to look at is told so that, in the end, everybody was looked at who has an owner that is
// gone, is not where they say, or waits for them; who waits and is not blocked; and who has to be
// looked for.
type graph struct {
	nodes map[string]*node // by uid
	due   func(uid string) // told whom to look at
}

// place is what the objects of a kind in a namespace have in common.
type place struct {
	object.GroupResource
	kind, namespace string
}

// node is an object or, until it is seen, what others say of one.
type node struct {
	uid, name  string
	place      unique.Handle[place] // nothing until the object is seen
	claim      *claim               // until then, where the first dependent says it is
	owners     []edge
	dependents map[*node]struct{} // nil for none
	blockers   int                // dependents that block its deletion in the foreground
	state      state
	waiting    bool // it is being deleted and waits until its dependents are
	orphaning  bool // it is being deleted and waits until its dependents are on their own
}

// key is where an object is that was seen.
func (n *node) key() object.Key {
	if n.place == (unique.Handle[place]{}) {
		return object.Key{}
	}
	at := n.place.Value()
	return object.Key{GroupResource: at.GroupResource, Namespace: at.namespace, Name: n.name}
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

// sameName says whether two claims differ in the namespace at most.
func (c *claim) sameName(other *claim) bool { return c.kind == other.kind && c.name == other.name }

type state uint8

const (
	unseen state = iota // only dependents have told of it
	missed              // it was looked for by the name of its claim and found in no namespace
	there
	gone // it was there, and no other object gets its uid
)

func newGraph(due func(uid string)) *graph { return &graph{nodes: map[string]*node{}, due: due} }

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

// seen takes note of where an object is. If its first dependent said otherwise, there may
// be more who did.
func (g *graph) seen(n *node, key object.Key, kind string) {
	n.name, n.place, n.state = key.Name, unique.Make(place{key.GroupResource, kind, key.Namespace}), there
	if n.claim != nil && !n.is(n.claim) {
		g.lookAtDependents(n)
	}
	n.claim = nil
}

// missing takes note that an object is not where its first dependent says, nor in another
// namespace. Others may say otherwise, and be right.
func (g *graph) missing(uid string) {
	if n := g.nodes[uid]; n != nil && n.state == unseen {
		n.state = missed
		g.lookAtDependents(n)
	}
}

func (g *graph) lookAtDependents(n *node) {
	for d := range n.dependents {
		g.due(d.uid)
	}
}

// connect makes the edges to the owners those that the object names now.
func (g *graph) connect(n *node, o object.Object) {
	before := n.owners
	n.owners = nil
	refs := o.OwnerReferences()
	for i := range refs {
		n.add(edge{g.owner(n, &refs[i]), blocksOwner(&refs[i])})
	}
	for i := range refs {
		owner := g.nodes[refs[i].UID]
		if _, known := owner.dependents[n]; !known {
			g.link(n, owner)
			g.begin(n, owner, &refs[i])
		}
	}
	for _, e := range n.owners {
		if e.blocks && !blocks(before, e.owner) {
			e.owner.blockers++
		}
	}
	for _, e := range before {
		g.loosen(n, e)
	}
}

func blocksOwner(ref *object.OwnerReference) bool {
	return ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
}

// add adds an edge; those to one owner are one.
func (n *node) add(e edge) {
	for i := range n.owners {
		if n.owners[i].owner == e.owner {
			n.owners[i].blocks = n.owners[i].blocks || e.blocks
			return
		}
	}
	n.owners = append(n.owners, e)
}

func (g *graph) link(n, owner *node) {
	if owner.dependents == nil {
		owner.dependents = map[*node]struct{}{}
	}
	owner.dependents[n] = struct{}{}
}

// loosen takes away what an edge was that is not there any more, or does not block any more.
func (g *graph) loosen(n *node, e edge) {
	if e.blocks && !blocks(n.owners, e.owner) {
		e.owner.blockers--
		g.unblock(e.owner)
	}
	if !leads(n.owners, e.owner) {
		delete(e.owner.dependents, n)
		g.prune(e.owner)
	}
}

// leads says whether one of the edges leads to an owner, and blocks whether it blocks that.
func leads(edges []edge, owner *node) bool {
	return slices.ContainsFunc(edges, func(e edge) bool { return e.owner == owner })
}

func blocks(edges []edge, owner *node) bool {
	return slices.ContainsFunc(edges, func(e edge) bool { return e.owner == owner && e.blocks })
}

// owner gives the node of an owner, which may not have been seen.
func (g *graph) owner(n *node, ref *object.OwnerReference) *node {
	owner := g.nodes[ref.UID]
	if owner == nil {
		owner = g.add(ref.UID)
		owner.claim = claimOf(n.key().Namespace, ref)
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
	says := claimOf(n.key().Namespace, ref)
	switch owner.state {
	case unseen:
		if *says != *owner.claim {
			g.due(n.uid)
		} else if len(owner.dependents) == 1 {
			g.due(owner.uid)
		}
	case missed, gone:
		g.due(n.uid)
	case there:
		if owner.waiting || !owner.is(says) {
			g.due(n.uid)
		}
		if owner.orphaning {
			g.due(owner.uid)
		}
	}
}

// is says whether an object that was seen is where a dependent says, and what.
func (n *node) is(c *claim) bool {
	at := n.place.Value()
	return at.kind == c.kind.Kind && at.Group == c.kind.Group && n.name == c.name &&
		(at.namespace == "" || at.namespace == c.namespace)
}

// follow takes note of what the object waits for.
func (g *graph) follow(n *node, o object.Object) {
	deleted := !o.DeletionTimestamp().IsZero()
	waiting := deleted && hasFinalizer(o, object.FinalizerForeground)
	orphaning := deleted && hasFinalizer(o, object.FinalizerOrphan)
	if waiting && !n.waiting {
		g.lookAtDependents(n)
		g.due(n.uid)
	}
	if orphaning && !n.orphaning {
		g.due(n.uid)
	}
	n.waiting, n.orphaning = waiting, orphaning
}

// lost takes note that an object which was there is gone.
func (g *graph) lost(uid string) {
	n := g.nodes[uid]
	if n == nil {
		return
	}
	n.state, n.waiting, n.orphaning, n.claim = gone, false, false, nil
	g.lookAtDependents(n)
	owners := n.owners
	n.owners = nil
	for _, e := range owners {
		g.loosen(n, e)
	}
	g.prune(n)
}

// unblock has an owner looked at that was waiting for its dependents and need not any more.
func (g *graph) unblock(owner *node) {
	if owner.waiting && owner.blockers == 0 {
		g.due(owner.uid)
	}
}

// prune forgets an object that is of no interest any more.
func (g *graph) prune(n *node) {
	if len(n.owners) == 0 && len(n.dependents) == 0 && !n.waiting && !n.orphaning {
		delete(g.nodes, n.uid)
	}
}

func hasFinalizer(o object.Object, name string) bool { return slices.Contains(o.Finalizers(), name) }
