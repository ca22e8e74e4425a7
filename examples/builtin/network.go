package builtin

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// networkPolicyPresets are those of NetworkPolicies.
func networkPolicyPresets() *presets {
	ports := at("ports", valuesOf("protocol", string(corev1.ProtocolTCP)))
	return at("spec", &presets{also: completePolicyTypes, parts: []part{{"ingress", ports}, {"egress", ports}}})
}

// completePolicyTypes says that a policy is about what comes in, and about what goes out
// if it has rules for that.
func completePolicyTypes(spec map[string]any) {
	if len(list(spec, "policyTypes")) > 0 {
		return
	}
	kinds := []any{string(networkingv1.PolicyTypeIngress)}
	if len(list(spec, "egress")) > 0 {
		kinds = append(kinds, string(networkingv1.PolicyTypeEgress))
	}
	spec["policyTypes"] = kinds
}

// ingressClassPresets are those of IngressClasses.
func ingressClassPresets() *presets {
	return at("spec", at("parameters", valuesOf("scope", networkingv1.IngressClassParametersReferenceScopeCluster)))
}

// bindingPresets are those of bindings of roles.
func bindingPresets() *presets {
	completeGroup := func(m map[string]any) {
		if text(m, "apiGroup") == "" {
			m["apiGroup"] = rbacv1.GroupName
		}
	}
	return &presets{parts: []part{
		{"roleRef", &presets{also: completeGroup}},
		{"subjects", &presets{also: func(m map[string]any) {
			if kind := m["kind"]; kind == rbacv1.UserKind || kind == rbacv1.GroupKind {
				completeGroup(m)
			}
		}}},
	}}
}

// storageClassPresets are those of StorageClasses.
func storageClassPresets() *presets {
	return valuesOf(
		"reclaimPolicy", string(corev1.PersistentVolumeReclaimDelete),
		"volumeBindingMode", string(storagev1.VolumeBindingImmediate),
	)
}
