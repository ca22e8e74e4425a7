package builtin

import corev1 "k8s.io/api/core/v1"

// servicePresets are those of Services.
func servicePresets() *presets {
	return &presets{
		also: completeService,
		parts: []part{{"spec", &presets{
			values: []preset{
				{"sessionAffinity", string(corev1.ServiceAffinityNone)},
				{"type", string(corev1.ServiceTypeClusterIP)},
			},
			also:  completeServiceSpec,
			parts: []part{{"ports", &presets{also: completeServicePort}}},
		}}},
	}
}

func completeServicePort(port map[string]any) {
	setDefault(port, "protocol", string(corev1.ProtocolTCP))
	if target := port["targetPort"]; target == nil || target == "" || target == int64(0) {
		port["targetPort"] = port["port"]
	}
}

func completeServiceSpec(spec map[string]any) {
	completeAffinity(spec)
	kind, cluster := corev1.ServiceType(text(spec, "type")), string(corev1.ServiceInternalTrafficPolicyCluster)
	if kind == "" {
		kind = corev1.ServiceTypeClusterIP
	}
	switch kind {
	case corev1.ServiceTypeLoadBalancer:
		setDefault(spec, "allocateLoadBalancerNodePorts", true)
		setDefault(spec, "externalTrafficPolicy", cluster)
	case corev1.ServiceTypeNodePort:
		setDefault(spec, "externalTrafficPolicy", cluster)
	case corev1.ServiceTypeClusterIP:
		if len(list(spec, "externalIPs")) > 0 {
			setDefault(spec, "externalTrafficPolicy", cluster)
		}
	default:
		return
	}
	setDefault(spec, "internalTrafficPolicy", cluster)
}

// completeAffinity says how long clients stay with a pod, if they do at all.
func completeAffinity(spec map[string]any) {
	switch corev1.ServiceAffinity(text(spec, "sessionAffinity")) {
	case "", corev1.ServiceAffinityNone:
		delete(spec, "sessionAffinityConfig")
	case corev1.ServiceAffinityClientIP:
		const field = "timeoutSeconds"
		setDefault(ensure(ensure(spec, "sessionAffinityConfig"), "clientIP"), field, int64(corev1.DefaultClientIPServiceAffinitySeconds))
	}
}

// completeService says how addresses of a load balancer are used.
func completeService(o map[string]any) {
	if text(o, "spec", "type") != string(corev1.ServiceTypeLoadBalancer) {
		return
	}
	for ingress := range mapsIn(mapping(o, "status", "loadBalancer")["ingress"]) {
		if text(ingress, "ip") != "" {
			setDefault(ingress, "ipMode", string(corev1.LoadBalancerIPModeVIP))
		}
	}
}

// endpointsPresets are those of Endpoints.
func endpointsPresets() *presets {
	return at("subsets", at("ports", valuesOf("protocol", string(corev1.ProtocolTCP))))
}

// endpointSlicePresets are those of EndpointSlices.
func endpointSlicePresets() *presets {
	return at("ports", valuesOf("name", "", "protocol", string(corev1.ProtocolTCP)))
}
