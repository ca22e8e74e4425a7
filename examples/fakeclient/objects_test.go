package fakeclient

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

func (p *probe) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: p.ns}
}

func (p *probe) configMap(name string, data ...string) *corev1.ConfigMap {
	m := &corev1.ConfigMap{ObjectMeta: p.meta(name), Data: map[string]string{}}
	for i := 0; i < len(data); i += 2 {
		m.Data[data[i]] = data[i+1]
	}
	return m
}

func (p *probe) preview(name string) *previewv1.Preview {
	return &previewv1.Preview{ObjectMeta: p.meta(name), Spec: previewv1.PreviewSpec{
		Image: "web:1", Host: name + ".example.com",
	}}
}

// widget is of a kind without a Go type.
func (p *probe) widget(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "untyped.example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": name, "namespace": p.ns}, "spec": spec,
	}}
}

func (p *probe) deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: p.meta(name), Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
		},
	}}
}

func ownedBy(owner *corev1.ConfigMap) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}
}
