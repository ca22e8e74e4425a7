package builtin

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// workload are the traits of most kinds that run something.
const workload = inAll | hasStatus | generated

// coreKinds are those of the core group.
func coreKinds(t *types) []row {
	return []row{
		{
			version: "v1", kind: "Pod", plural: "pods", shortNames: "po", codec: codecOf[corev1.Pod](t),
			traits: workload | returnDeleted, phase: string(corev1.PodPending), fields: podFields(), statusKeeps: "ownerReferences", grace: podGrace,
			defaults: podPresets().document, validate: validatePod, endpoints: []server.Subresource{ephemeralContainers()}, settle: preparePod, settleStatus: keepPodStatus,
		},
		{
			version: "v1", kind: "Service", plural: "services", shortNames: "svc", codec: codecOf[corev1.Service](t),
			traits: inAll | hasStatus | putCreates | returnDeleted, validateName: validation.NameIsDNSLabel,
			fields: textFields("spec.clusterIP", "spec.type"), defaults: servicePresets().document, settle: settleService,
		},
		{
			version: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", shortNames: "pvc",
			codec: codecOf[corev1.PersistentVolumeClaim](t), traits: hasStatus | returnDeleted, phase: string(corev1.ClaimPending),
			defaults: claimPresets().document, settle: settleClaim,
		},
		{
			version: "v1", kind: "PersistentVolume", plural: "persistentvolumes", shortNames: "pv",
			codec: codecOf[corev1.PersistentVolume](t), traits: clusterWide | hasStatus | returnDeleted, phase: string(corev1.VolumePending),
			defaults: persistentVolumePresets().document, settle: prepareVolume, settleStatus: settleVolumeStatus,
		},
		{
			version: "v1", kind: "Node", plural: "nodes", shortNames: "no", codec: codecOf[corev1.Node](t),
			traits:   clusterWide | hasStatus | statusAtCreation,
			fields:   map[string]func(object.Object) string{"spec.unschedulable": flagField("spec", "unschedulable")},
			defaults: nodePresets().document,
		},
		{
			version: "v1", kind: "ReplicationController", plural: "replicationcontrollers", shortNames: "rc",
			codec: codecOf[corev1.ReplicationController](t), traits: workload | hasScale | orphans,
			fields:   map[string]func(object.Object) string{"status.replicas": numberField("status", "replicas")},
			defaults: replicationControllerPresets().document,
		},
		resourceQuotas(t),
		limitRanges(t),
		{
			version: "v1", kind: "Endpoints", plural: "endpoints", shortNames: "ep",
			//lint:ignore SA1019 deprecated or not, it is served
			codec: codecOf[corev1.Endpoints](t), traits: putCreates, defaults: endpointsPresets().document,
		},
		{
			version: "v1", kind: "PodTemplate", plural: "podtemplates",
			codec: codecOf[corev1.PodTemplate](t), traits: generated | returnDeleted, defaults: templatePresets().document,
		},
		{
			version: "v1", kind: "ComponentStatus", plural: "componentstatuses", shortNames: "cs",
			codec: codecOf[corev1.ComponentStatus](t), traits: clusterWide,
			verbs: []string{"get", "list"}, warning: "v1 ComponentStatus is deprecated in v1.19+",
		},
	}
}

func appsKinds(t *types) []row {
	const group = "apps"
	return []row{
		{
			group: group, version: "v1", kind: "Deployment", plural: "deployments", shortNames: "deploy", codec: codecOf[appsv1.Deployment](t),
			traits: workload | hasScale, counts: "annotations", statusKeeps: "labels", defaults: deploymentPresets().document,
		},
		{
			group: group, version: "v1", kind: "ReplicaSet", plural: "replicasets", shortNames: "rs", codec: codecOf[appsv1.ReplicaSet](t),
			traits: workload | hasScale, defaults: replicaSetPresets().document,
		},
		{
			group: group, version: "v1", kind: "StatefulSet", plural: "statefulsets", shortNames: "sts", codec: codecOf[appsv1.StatefulSet](t),
			traits: workload | hasScale, validateName: validation.NameIsDNSLabel, defaults: statefulSetPresets().document,
		},
		{
			group: group, version: "v1", kind: "DaemonSet", plural: "daemonsets", shortNames: "ds", codec: codecOf[appsv1.DaemonSet](t),
			traits: workload, defaults: daemonSetPresets().document, settle: prepareDaemonSet,
		},
		{
			group: group, version: "v1", kind: "ControllerRevision", plural: "controllerrevisions",
			codec: codecOf[appsv1.ControllerRevision](t),
		},
	}
}

func autoscalingKinds(t *types) []row {
	return []row{{
		group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", shortNames: "hpa",
		codec: codecOf[autoscalingv2.HorizontalPodAutoscaler](t), traits: workload, defaults: autoscalerPresets().document,
	}}
}

func batchKinds(t *types) []row {
	const group = "batch"
	return []row{
		{
			group: group, version: "v1", kind: "Job", plural: "jobs", codec: codecOf[batchv1.Job](t), traits: workload | orphans,
			orphanWarning: "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them" +
				" or set propagationPolicy=Orphan to suppress this warning",
			fields:   map[string]func(object.Object) string{"status.successful": numberField("status", "succeeded")},
			defaults: jobPresets().document, settle: prepareJob,
		},
		{
			group: group, version: "v1", kind: "CronJob", plural: "cronjobs", shortNames: "cj", codec: codecOf[batchv1.CronJob](t),
			traits: workload, defaults: cronJobPresets().document,
		},
	}
}

func networkingKinds(t *types) []row {
	const group = "networking.k8s.io"
	return []row{
		{
			group: group, version: "v1", kind: "Ingress", plural: "ingresses", shortNames: "ing", codec: codecOf[networkingv1.Ingress](t),
			traits: hasStatus | generated,
		},
		{
			group: group, version: "v1", kind: "IngressClass", plural: "ingressclasses", codec: codecOf[networkingv1.IngressClass](t),
			traits: clusterWide | generated, defaults: ingressClassPresets().document,
		},
		{
			group: group, version: "v1", kind: "NetworkPolicy", plural: "networkpolicies", shortNames: "netpol",
			codec: codecOf[networkingv1.NetworkPolicy](t), traits: generated, defaults: networkPolicyPresets().document,
		},
	}
}

func policyKinds(t *types) []row {
	return []row{{
		group: "policy", version: "v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", shortNames: "pdb",
		codec: codecOf[policyv1.PodDisruptionBudget](t), traits: hasStatus | generated | putVersioned,
	}}
}

func accessKinds(t *types) []row {
	const group = "rbac.authorization.k8s.io"
	name := object.ValidatePathSegmentName
	return []row{
		{
			group: group, version: "v1", kind: "ClusterRoleBinding", plural: "clusterrolebindings",
			codec: codecOf[rbacv1.ClusterRoleBinding](t), traits: clusterWide | putCreates, validateName: name, defaults: bindingPresets().document,
		},
		{
			group: group, version: "v1", kind: "ClusterRole", plural: "clusterroles",
			codec: codecOf[rbacv1.ClusterRole](t), traits: clusterWide | putCreates, validateName: name,
			columns: []server.Column{createdAt()},
		},
		{
			group: group, version: "v1", kind: "RoleBinding", plural: "rolebindings",
			codec: codecOf[rbacv1.RoleBinding](t), traits: putCreates, validateName: name, defaults: bindingPresets().document,
		},
		{
			group: group, version: "v1", kind: "Role", plural: "roles",
			codec: codecOf[rbacv1.Role](t), traits: putCreates, validateName: name,
			columns: []server.Column{createdAt()},
		},
	}
}

func storageKinds(t *types) []row {
	return []row{{
		group: "storage.k8s.io", version: "v1", kind: "StorageClass", plural: "storageclasses", shortNames: "sc",
		codec: codecOf[storagev1.StorageClass](t), traits: clusterWide | returnDeleted, defaults: storageClassPresets().document,
	}}
}

func discoveryKinds(t *types) []row {
	return []row{{
		group: "discovery.k8s.io", version: "v1", kind: "EndpointSlice", plural: "endpointslices",
		codec: codecOf[discoveryv1.EndpointSlice](t), traits: generated, counts: "labels", defaults: endpointSlicePresets().document,
	}}
}
