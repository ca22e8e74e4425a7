package quota_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func ExampleEnforcer() {
	cluster := newWorld() // that of a server is what its method Access gives
	quotas := quota.New(cluster)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go quotas.Run(ctx)
	chain := admission.Chain{Validators: []admission.Validator{quotas}}

	cluster.enforcer = quotas
	_ = cluster.create("resourcequotas", object.Object{
		"metadata": map[string]any{"name": "small", "namespace": "team"},
		"spec":     map[string]any{"hard": map[string]any{"count/widgets.example.com": "0"}},
	})
	err := chain.Validate(context.Background(), &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Namespace: "team",
		Object:    object.Object{"metadata": map[string]any{"name": "first", "namespace": "team"}},
	})
	fmt.Println(err)
	// Output: widgets.example.com "first" is forbidden: exceeded quota: small, requested: count/widgets.example.com=1, used: count/widgets.example.com=0, limited: count/widgets.example.com=0
}
