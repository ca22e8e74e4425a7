package builtin

import (
	"reflect"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// This file says of the types what their tags don't: how updates merge lists and maps.
// Where nothing is said here, the patch tags hold.

// lists are those that updates merge in another way than the patch tags say.
func lists() map[schema.GoField]schema.GoList {
	all := map[schema.GoField]schema.GoList{}
	set := func(f schema.GoField) { all[f] = schema.GoList{Type: "set"} }
	atomic := func(f schema.GoField) { all[f] = schema.GoList{Type: "atomic"} }
	by := func(f schema.GoField, keys ...string) { all[f] = schema.GoList{Type: "map", Keys: keys} }

	by(of[corev1.Container]("Ports"), "containerPort", "protocol")
	by(of[corev1.EphemeralContainerCommon]("Ports"), "containerPort", "protocol")
	by(of[corev1.ServiceSpec]("Ports"), "port", "protocol")
	by(of[corev1.PodSpec]("TopologySpreadConstraints"), "topologyKey", "whenUnsatisfiable")
	by(of[corev1.ResourceRequirements]("Claims"), "name")
	by(of[corev1.ResourceStatus]("Resources"), "resourceID")
	set(of[corev1.ContainerRestartRuleOnExitCodes]("Values"))
	atomic(of[corev1.PodStatus]("HostIPs"))
	by(of[corev1.PodStatus]("VolumeHealth"), "name")
	by(of[corev1.PodVolumeHealth]("HealthConditions"), "status", "reason")
	by(of[corev1.VolumeHealthStatus]("HealthConditions"), "status", "reason")
	set(of[corev1.VolumeMount]("BindMountOptions"))
	set(of[corev1.NodePodPreemptionPolicy]("DisableResizePreemption"))
	set(of[corev1.NodeAllocatableResourceClaimStatus]("Containers"))
	set(of[batchv1.PodFailurePolicyOnExitCodesRequirement]("Values"))
	set(of[batchv1.UncountedTerminatedPods]("Succeeded"))
	set(of[batchv1.UncountedTerminatedPods]("Failed"))
	atomic(of[batchv1.JobStatus]("Conditions"))
	set(of[discoveryv1.Endpoint]("Addresses"))
	by(of[admissionv1.ValidatingAdmissionPolicyStatus]("Conditions"), "type")
	set(of[admissionv1.ValidatingAdmissionPolicyBindingSpec]("ValidationActions"))
	return all
}

// keyDefaults are the values of keys of lists that documents may leave out.
func keyDefaults() map[schema.GoField]any {
	return map[schema.GoField]any{
		of[corev1.ContainerPort]("Protocol"):    string(corev1.ProtocolTCP),
		of[corev1.ServicePort]("Protocol"):      string(corev1.ProtocolTCP),
		of[corev1.LocalObjectReference]("Name"): "",
	}
}

// atomicTypes are the structs that updates replace as a whole.
func atomicTypes() map[reflect.Type]bool {
	return map[reflect.Type]bool{
		reflect.TypeFor[corev1.SecretReference]():                    true,
		reflect.TypeFor[corev1.FileKeySelector]():                    true,
		reflect.TypeFor[corev1.ObjectFieldSelector]():                true,
		reflect.TypeFor[corev1.ResourceFieldSelector]():              true,
		reflect.TypeFor[corev1.ConfigMapKeySelector]():               true,
		reflect.TypeFor[corev1.SecretKeySelector]():                  true,
		reflect.TypeFor[corev1.NodeSelector]():                       true,
		reflect.TypeFor[corev1.NodeSelectorTerm]():                   true,
		reflect.TypeFor[corev1.TopologySelectorTerm]():               true,
		reflect.TypeFor[corev1.EndpointAddress]():                    true,
		reflect.TypeFor[corev1.EndpointPort]():                       true,
		reflect.TypeFor[corev1.EvictionResponder]():                  true,
		reflect.TypeFor[corev1.ObjectReference]():                    true,
		reflect.TypeFor[corev1.LocalObjectReference]():               true,
		reflect.TypeFor[corev1.TypedLocalObjectReference]():          true,
		reflect.TypeFor[corev1.ScopeSelector]():                      true,
		reflect.TypeFor[autoscalingv1.CrossVersionObjectReference](): true,
		reflect.TypeFor[networkingv1.ServiceBackendPort]():           true,
		reflect.TypeFor[rbacv1.Subject]():                            true,
		reflect.TypeFor[rbacv1.RoleRef]():                            true,
		reflect.TypeFor[discoveryv1.EndpointPort]():                  true,
		reflect.TypeFor[metav1.OwnerReference]():                     true,
		reflect.TypeFor[admissionv1.MatchResources]():                true,
		reflect.TypeFor[admissionv1.NamedRuleWithOperations]():       true,
		reflect.TypeFor[admissionv1.ParamKind]():                     true,
		reflect.TypeFor[admissionv1.ParamRef]():                      true,
		reflect.TypeFor[admissionv1.Variable]():                      true,
		reflect.TypeFor[metav1.LabelSelector]():                      true,
	}
}

// atomicFields are the maps that updates replace as a whole.
func atomicFields() map[schema.GoField]bool {
	return map[schema.GoField]bool{
		of[corev1.PodSpec]("NodeSelector"):               true,
		of[corev1.ReplicationControllerSpec]("Selector"): true,
		of[corev1.ServiceSpec]("Selector"):               true,
		of[corev1.PersistentVolumeSpec]("ClaimRef"):      false, // granular, though of an atomic type
	}
}

// of names a field of a struct.
func of[T any](field string) schema.GoField {
	return schema.GoField{Type: reflect.TypeFor[T](), Field: field}
}
