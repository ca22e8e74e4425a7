package v1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyInto writes a copy to out.
func (p *Preview) DeepCopyInto(out *Preview) {
	*out = *p
	p.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	p.Spec.deepCopyInto(&out.Spec)
	p.Status.deepCopyInto(&out.Status)
}

// DeepCopy gives a copy.
func (p *Preview) DeepCopy() *Preview {
	out := &Preview{}
	p.DeepCopyInto(out)
	return out
}

// DeepCopyObject implements [runtime.Object].
func (p *Preview) DeepCopyObject() runtime.Object { return p.DeepCopy() }

func (s *PreviewSpec) deepCopyInto(out *PreviewSpec) {
	*out = *s
	if s.Replicas != nil {
		out.Replicas = new(*s.Replicas)
	}
	if s.TTL != nil {
		out.TTL = new(*s.TTL)
	}
	out.Env = slices.Clone(s.Env)
}

func (s *PreviewStatus) deepCopyInto(out *PreviewStatus) {
	*out = *s
	out.ExpiresAt = s.ExpiresAt.DeepCopy()
	if s.Conditions == nil {
		return
	}
	out.Conditions = make([]metav1.Condition, len(s.Conditions))
	for i := range s.Conditions {
		s.Conditions[i].DeepCopyInto(&out.Conditions[i])
	}
}

// DeepCopyObject implements [runtime.Object].
func (l *PreviewList) DeepCopyObject() runtime.Object {
	out := &PreviewList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	if l.Items == nil {
		return out
	}
	out.Items = make([]Preview, len(l.Items))
	for i := range l.Items {
		l.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
