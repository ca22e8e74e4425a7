package fakeclient

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func deleting() []behaviour {
	return []behaviour{
		{
			tried: "add a finalizer to an object that is being deleted",
			try: func(p *probe) string {
				m := p.configMap("m")
				m.Finalizers = []string{"example.com/a"}
				p.must(p.Create(p.Context(), m))
				p.must(p.Delete(p.Context(), m))
				m = again(p, m)
				m.Finalizers = append(m.Finalizers, "example.com/b")
				said := p.said(p.Update(p.Context(), m))
				m = again(p, m)
				m.Finalizers = nil
				p.must(p.Update(p.Context(), m))
				return said
			},
			api: `Invalid: ConfigMap "m" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b"}`, fake: "done",
		},
		{
			tried: "delete an object with finalizers: what does its deletion change?",
			try: func(p *probe) string {
				o := p.preview("p")
				o.Finalizers = []string{"example.com/a"}
				p.must(p.Create(p.Context(), o))
				before := o.Generation
				p.must(p.Delete(p.Context(), o))
				o = again(p, o)
				said := fmt.Sprintf("generation +%d, grace period %v", o.Generation-before, value(o.DeletionGracePeriodSeconds))
				o.Finalizers = nil
				p.must(p.Update(p.Context(), o))
				return said
			},
			api: "generation +1, grace period 0", fake: "generation +0, grace period none",
		},
		{
			tried: "delete with the uid of another object as a precondition",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				_ = p.Delete(p.Context(), m, client.Preconditions{UID: new(types.UID("another"))})
				return p.there(m)
			},
			api: "there", fake: "gone",
		},
		{
			tried: "a finalizer without a domain",
			try: func(p *probe) string {
				m := p.configMap("m")
				m.Finalizers = []string{"mine"}
				return p.said(p.Create(p.Context(), m))
			},
			api: `Invalid: ConfigMap "m" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified`, fake: "done",
		},
		{
			tried: "delete in the foreground what others depend on",
			try: func(p *probe) string {
				owner, owned := p.configMap("owner"), p.configMap("owned")
				p.must(p.Create(p.Context(), owner))
				owned.OwnerReferences = ownedBy(owner)
				owned.OwnerReferences[0].BlockOwnerDeletion = new(true)
				owned.Finalizers = []string{"example.com/a"}
				p.must(p.Create(p.Context(), owned))
				p.must(p.Delete(p.Context(), owner, client.PropagationPolicy(metav1.DeletePropagationForeground)))
				p.settle()
				said := p.there(owner) + " until its dependents are gone"
				owned = again(p, owned)
				owned.Finalizers = nil
				p.must(p.Update(p.Context(), owned))
				return said
			},
			api: "there until its dependents are gone", fake: "gone until its dependents are gone",
		},
	}
}

func value(p *int64) any {
	if p == nil {
		return "none"
	}
	return *p
}

func collecting() []behaviour {
	return []behaviour{
		{
			tried: "delete the owner of an object",
			try: func(p *probe) string {
				owner, owned := p.configMap("owner"), p.configMap("owned")
				p.must(p.Create(p.Context(), owner))
				owned.OwnerReferences = ownedBy(owner)
				p.must(p.Create(p.Context(), owned))
				p.must(p.Delete(p.Context(), owner))
				p.settle()
				return p.there(owned)
			},
			api: "gone", fake: "there",
		},
		{
			tried: "create an object whose owner does not exist",
			try: func(p *probe) string {
				owned := p.configMap("owned")
				owned.OwnerReferences = ownedBy(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "nobody", UID: "00000000-0000-0000-0000-000000000001"}})
				p.must(p.Create(p.Context(), owned))
				p.settle()
				return p.there(owned)
			},
			api: "gone", fake: "there",
		},
		{
			tried: "delete the owner and orphan what it has: are there owners left?",
			try: func(p *probe) string {
				owner, owned := p.configMap("owner"), p.configMap("owned")
				p.must(p.Create(p.Context(), owner))
				owned.OwnerReferences = ownedBy(owner)
				p.must(p.Create(p.Context(), owned))
				p.must(p.Delete(p.Context(), owner, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
				p.settle()
				return fmt.Sprintf("%d", len(again(p, owned).OwnerReferences))
			},
			api: "0", fake: "1",
		},
		{
			tried: "create in a namespace that does not exist",
			try: func(p *probe) string {
				m := p.configMap("m")
				m.Namespace = "no-such-namespace"
				return p.said(p.Create(p.Context(), m))
			},
			api: `NotFound: namespaces "no-such-namespace" not found`, fake: "done",
		},
		{
			tried: "delete a namespace: what is in it?",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				p.must(p.Delete(p.Context(), namespace(p.ns)))
				p.settle()
				return fmt.Sprintf("the namespace is %s, what was in it %s", p.there(namespace(p.ns)), p.there(m))
			},
			api: "the namespace is gone, what was in it gone", fake: "the namespace is gone, what was in it there",
		},
		{
			tried: "create in a namespace that is being deleted",
			try: func(p *probe) string {
				m := p.configMap("m")
				m.Finalizers = []string{"example.com/a"}
				p.must(p.Create(p.Context(), m))
				p.must(p.Delete(p.Context(), namespace(p.ns)))
				said := p.said(p.Create(p.Context(), p.configMap("late")))
				p.must(p.Patch(p.Context(), m, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))))
				return said
			},
			api: `Forbidden: configmaps "late" is forbidden: unable to create new content in namespace ns because it is being terminated`, fake: "done",
		},
	}
}
