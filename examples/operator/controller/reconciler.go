// Package controller brings about what previews want: a claimed host, a ConfigMap
// and a Deployment of each, its state in its status, and its end when its time is up.
//
// It is written as operators are with controller-runtime, and knows nothing of
// Plinth; its tests are the example.
package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

// Hosts hands out names of hosts, somewhere outside of the cluster. Both methods
// may be called again for what was done.
type Hosts interface {
	Claim(ctx context.Context, host, owner string) error
	Release(ctx context.Context, host, owner string) error
}

// ErrTaken is why a host cannot be claimed that somebody else has.
var ErrTaken = errors.New("the host is taken")

// Reconciler keeps previews as their specs say.
type Reconciler struct {
	client.Client
	Hosts Hosts
}

// SetupWithManager adds the controller to a manager.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).
		For(&previewv1.Preview{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}).
		Complete(r)
}

// Reconcile brings one preview a step forward.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	p := &previewv1.Preview{}
	if err := r.Get(ctx, req.NamespacedName, p); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !p.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.end(ctx, p)
	}
	if controllerutil.AddFinalizer(p, previewv1.Finalizer) {
		if err := r.Update(ctx, p); err != nil {
			return ctrl.Result{}, fmt.Errorf("adding the finalizer: %w", err)
		}
	}
	left := time.Until(expiry(p).Time)
	if left <= 0 {
		return ctrl.Result{}, client.IgnoreNotFound(r.Delete(ctx, p, client.Preconditions{UID: &p.UID}))
	}
	claim := r.Hosts.Claim(ctx, p.Spec.Host, owner(p))
	if claim == nil {
		if err := r.apply(ctx, p); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.report(ctx, p, claim); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: left}, claim
}

// end releases what the preview has outside of the cluster; the rest is collected.
func (r *Reconciler) end(ctx context.Context, p *previewv1.Preview) error {
	if !controllerutil.ContainsFinalizer(p, previewv1.Finalizer) {
		return nil
	}
	if err := r.Hosts.Release(ctx, p.Spec.Host, owner(p)); err != nil {
		return fmt.Errorf("releasing host %s: %w", p.Spec.Host, err)
	}
	controllerutil.RemoveFinalizer(p, previewv1.Finalizer)
	return client.IgnoreNotFound(r.Update(ctx, p))
}

// report writes what was found to the status, if it is news.
func (r *Reconciler) report(ctx context.Context, p *previewv1.Preview, claim error) error {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(p), d); client.IgnoreNotFound(err) != nil {
		return err
	}
	before := p.Status
	p.Status = *statusOf(p, d, claim)
	if equality.Semantic.DeepEqual(before, p.Status) {
		return nil
	}
	if err := r.Status().Update(ctx, p); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}

// owner is how the hosts know a preview.
func owner(p *previewv1.Preview) string { return p.Namespace + "/" + p.Name }

func expiry(p *previewv1.Preview) metav1.Time {
	return metav1.NewTime(p.CreationTimestamp.Add(p.Spec.TTL.Duration))
}
