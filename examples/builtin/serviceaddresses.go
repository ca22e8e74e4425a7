package builtin

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// settleService keeps what a service was given, drops what its type has no use for any
// more, and says of which families its addresses are: IPv4, as in a cluster of that family.
// New addresses and ports are for somebody else to give.
func settleService(next, old object.Object) {
	spec, before := mapping(next, "spec"), mapping(old, "spec")
	if spec == nil {
		return
	}
	if before != nil {
		dropUnused(spec, before)
		keepGiven(spec, before)
		if !isOfType(spec, corev1.ServiceTypeLoadBalancer) {
			ensure(next, "status")["loadBalancer"] = map[string]any{}
		}
	}
	if !hasAddress(spec) {
		delete(spec, "internalTrafficPolicy") // which only says how an address is used
		return
	}
	settleClusterIPs(spec, before)
	settleFamilies(spec, before)
}

func isOfType(spec map[string]any, kinds ...corev1.ServiceType) bool {
	return slices.Contains(kinds, corev1.ServiceType(text(spec, "type")))
}

func hasAddress(spec map[string]any) bool {
	return spec != nil && !isOfType(spec, corev1.ServiceTypeExternalName)
}

func hasNodePorts(spec map[string]any) bool {
	return isOfType(spec, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer)
}

func isReachedFromOutside(spec map[string]any) bool {
	return hasNodePorts(spec) || isOfType(spec, corev1.ServiceTypeClusterIP) && len(list(spec, "externalIPs")) > 0
}

// dropUnused drops what only the former type of a service could use, unless the writer has
// changed it, which is for the checks to say.
func dropUnused(spec, before map[string]any) {
	var unused []string
	if hasAddress(before) && !hasAddress(spec) {
		unused = append(unused, "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
	}
	if isOfType(before, corev1.ServiceTypeLoadBalancer) && !isOfType(spec, corev1.ServiceTypeLoadBalancer) {
		unused = append(unused, "allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort")
	}
	if isReachedFromOutside(before) && !isReachedFromOutside(spec) {
		unused = append(unused, "externalTrafficPolicy")
	}
	for _, name := range unused {
		if isSame(spec, before, name) {
			delete(spec, name)
		}
	}
	if !hasNodePorts(before) || hasNodePorts(spec) || !slices.Equal(nodePorts(spec), nodePorts(before)) {
		return
	}
	for port := range mapsIn(spec["ports"]) {
		delete(port, "nodePort")
	}
}

func isSame(a, b map[string]any, name string) bool {
	return object.Object{"": a[name]}.Equal(object.Object{"": b[name]})
}

// nodePorts gives the ports on the nodes that are set.
func nodePorts(spec map[string]any) (ports []int64) {
	for port := range mapsIn(spec["ports"]) {
		if n := number(port, "nodePort"); n != 0 {
			ports = append(ports, n)
		}
	}
	return ports
}

// keepGiven sets what a writer left out that the service was given before.
func keepGiven(spec, before map[string]any) {
	if hasAddress(spec) && hasAddress(before) {
		keepMissing(spec, before, "clusterIP", "clusterIPs")
	}
	if !hasNodePorts(spec) || !hasNodePorts(before) {
		return
	}
	keepMissing(spec, before, "healthCheckNodePort")
	given, used := map[string]int64{}, nodePorts(spec)
	for port := range mapsIn(before["ports"]) {
		given[text(port, "name")] = number(port, "nodePort")
	}
	for port := range mapsIn(spec["ports"]) {
		n := given[text(port, "name")]
		if n != 0 && number(port, "nodePort") == 0 && !slices.Contains(used, n) {
			port["nodePort"] = n
		}
	}
}

// settleClusterIPs makes the list of addresses what the first one says, for clients that
// know only that.
func settleClusterIPs(spec, before map[string]any) {
	address := text(spec, "clusterIP")
	isNew := spec["clusterIPs"] == nil
	if before != nil {
		isNew = isSame(spec, before, "clusterIPs") && address != text(before, "clusterIP")
	}
	if isNew && address != "" {
		spec["clusterIPs"] = []any{address}
	}
}

// settleFamilies says how many families there are, and which.
func settleFamilies(spec, before map[string]any) {
	// What selects nothing and has no address of its own may have any.
	isFree := spec["clusterIP"] == corev1.ClusterIPNone && len(mapping(spec, "selector")) == 0
	keepMissing(spec, before, "ipFamilyPolicy", "ipFamilies")
	policy := corev1.IPFamilyPolicySingleStack
	if isFree {
		policy = corev1.IPFamilyPolicyRequireDualStack
	}
	setDefault(spec, "ipFamilyPolicy", string(policy))
	setDefault(spec, "ipFamilies", []any{string(corev1.IPv4Protocol)})
	families := list(spec, "ipFamilies")
	if isFree && len(families) == 1 && spec["ipFamilyPolicy"] != string(corev1.IPFamilyPolicySingleStack) {
		other := string(corev1.IPv6Protocol)
		if families[0] == other {
			other = string(corev1.IPv4Protocol)
		}
		spec["ipFamilies"] = append(families, other)
	}
}
