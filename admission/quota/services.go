package quota

import (
	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

var services = measure{
	resource: object.GroupResource{Resource: "services"},
	counts: func(name string) bool {
		switch name {
		case "services", "services.nodeports", "services.loadbalancers", "count/services":
			return true
		}
		return false
	},
	usage:    serviceUsage,
	concerns: func(req *admission.Request) bool { return req.Subresource == "" && isCreateOrUpdate(req) },
}

// serviceUsage goes by what a service wants, since its ports are not allocated yet when it
// is admitted.
func serviceUsage(service object.Object) (amounts.Amounts, error) {
	v, _ := service.Field("spec", "ports")
	ports, _ := v.([]any)
	nodePorts, balancers := 0, int64(0)
	switch kind, _ := service.Field("spec", "type"); kind {
	case "NodePort":
		nodePorts = len(ports)
	case "LoadBalancer":
		nodePorts, balancers = len(ports), 1
		if allocate, _ := service.Field("spec", "allocateLoadBalancerNodePorts"); allocate == false {
			nodePorts = withNodePort(ports)
		}
	}
	return amounts.Amounts{
		"services": one, "count/services": one,
		"services.nodeports":     quantity.Of(int64(nodePorts)),
		"services.loadbalancers": quantity.Of(balancers),
	}, nil
}

func withNodePort(ports []any) int {
	count := 0
	for _, v := range ports {
		port, _ := v.(map[string]any)
		if n, _ := port["nodePort"].(int64); n != 0 {
			count++
		}
	}
	return count
}
