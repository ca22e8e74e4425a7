package controller

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

// statusOf is the status of a preview with this deployment, after a try to claim its host.
func statusOf(p *previewv1.Preview, d *appsv1.Deployment, claim error) *previewv1.PreviewStatus {
	expires := expiry(p)
	s := &previewv1.PreviewStatus{
		ObservedGeneration: p.Generation,
		Replicas:           d.Status.Replicas,
		Selector:           labels.SelectorFromSet(podLabels(p)).String(),
		ExpiresAt:          &expires,
	}
	for _, c := range p.Status.Conditions {
		s.Conditions = append(s.Conditions, *c.DeepCopy())
	}
	ready := readiness(p, d, claim)
	ready.Type, ready.ObservedGeneration = previewv1.ConditionReady, p.Generation
	meta.SetStatusCondition(&s.Conditions, ready)
	return s
}

func readiness(p *previewv1.Preview, d *appsv1.Deployment, claim error) metav1.Condition {
	ready := d.Status.ReadyReplicas
	switch {
	case errors.Is(claim, ErrTaken):
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: previewv1.ReasonHostTaken, Message: p.Spec.Host + " belongs to somebody else"}
	case claim != nil:
		return metav1.Condition{Status: metav1.ConditionUnknown, Reason: previewv1.ReasonStarting, Message: claim.Error()}
	case d.UID == "" || d.Status.ObservedGeneration < d.Generation || ready < *p.Spec.Replicas:
		message := fmt.Sprintf("%d of %d replicas are ready", ready, *p.Spec.Replicas)
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: previewv1.ReasonStarting, Message: message}
	}
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: previewv1.ReasonRunning, Message: "at " + p.Spec.Host}
}
