package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

// manager is who owns the fields that the controller applies.
const manager = client.FieldOwner("preview-controller")

// apply brings what belongs to the preview into the form that it wants, and leaves to
// others what it says nothing about.
func (r *Reconciler) apply(ctx context.Context, p *previewv1.Preview) error {
	for _, config := range []runtime.ApplyConfiguration{settings(p), deployment(p)} {
		if err := r.Apply(ctx, config, manager, client.ForceOwnership); err != nil {
			return fmt.Errorf("applying %T: %w", config, err)
		}
	}
	return nil
}

// settings are the environment of the program.
func settings(p *previewv1.Preview) *coreapply.ConfigMapApplyConfiguration {
	data := map[string]string{}
	for _, e := range p.Spec.Env {
		data[e.Name] = e.Value
	}
	return coreapply.ConfigMap(p.Name, p.Namespace).WithOwnerReferences(ownedBy(p)).WithData(data)
}

func deployment(p *previewv1.Preview) *appsapply.DeploymentApplyConfiguration {
	program := coreapply.Container().WithName("preview").WithImage(p.Spec.Image).
		WithEnv(coreapply.EnvVar().WithName("HOST").WithValue(p.Spec.Host)).
		WithEnvFrom(coreapply.EnvFromSource().WithConfigMapRef(coreapply.ConfigMapEnvSource().WithName(p.Name)))
	template := coreapply.PodTemplateSpec().WithLabels(podLabels(p)).WithSpec(coreapply.PodSpec().WithContainers(program))
	return appsapply.Deployment(p.Name, p.Namespace).WithOwnerReferences(ownedBy(p)).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(*p.Spec.Replicas).WithTemplate(template).
			WithSelector(metaapply.LabelSelector().WithMatchLabels(podLabels(p))))
}

func ownedBy(p *previewv1.Preview) *metaapply.OwnerReferenceApplyConfiguration {
	return metaapply.OwnerReference().WithAPIVersion(previewv1.GroupVersion.String()).WithKind("Preview").
		WithName(p.Name).WithUID(p.UID).WithController(true).WithBlockOwnerDeletion(true)
}

func podLabels(p *previewv1.Preview) map[string]string { return map[string]string{"preview": p.Name} }
