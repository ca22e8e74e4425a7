package limits_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func ExampleRanges() {
	ranges := limits.Ranges{Reader: reader{{"spec": map[string]any{"limits": []any{
		map[string]any{"type": "Container", "default": map[string]any{"cpu": "500m"}, "max": map[string]any{"memory": "1Gi"}},
	}}}}}
	chain := admission.Chain{Mutators: []admission.Mutator{ranges}, Validators: []admission.Validator{ranges}}
	err := chain.Run(context.Background(), &admission.Request{
		Operation: admission.Create, Resource: object.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespace: "team",
		Object: object.Object{
			"metadata": map[string]any{"name": "web"},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"limits": map[string]any{"memory": "2Gi"}}}}},
		},
	})
	fmt.Println(err)
	// Output: pods "web" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi
}
