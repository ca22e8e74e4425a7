package server_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Stages of a program stand beside what clients store: a function that mutates, a rule in CEL,
// limit ranges, and quotas, which come last.
func ExampleServer_Admit() {
	s, stop := harbour()
	defer stop()
	v1 := []server.Version{{Name: "v1"}}
	err := s.Add(append(server.AdmissionKinds(), // policies and webhooks
		server.Resource{Plural: "limitranges", Kind: "LimitRange", Namespaced: true, Versions: v1},
		server.Resource{Plural: "resourcequotas", Kind: "ResourceQuota", Namespaced: true, Versions: v1, Subresources: []server.Subresource{
			{Name: "status", Verbs: []string{"get", "update", "patch"}}, // where quotas keep what is used
		}})...)
	if err != nil {
		fmt.Println(err)
		return
	}

	flag := admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		if req.Kind.Kind == "Boat" && req.Operation == admission.Create {
			req.Object["flag"] = "white"
		}
		return nil
	})
	small, err := policy.New("small", "object.sails <= 3", match.For(admission.Create, admission.Update).Of("example.com", "boats"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ranges := limits.Ranges{Reader: s.Access()}
	quotas := quota.New(s.Access())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go quotas.Run(ctx) // gives back what deleted objects used
	s.Admit(admission.Chain{
		Mutators:   []admission.Mutator{flag, ranges},
		Validators: []admission.Validator{small, ranges, quotas},
	})

	dory, err := s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": "dory"}, "sails": int64(1)}, server.WriteOptions{})
	fmt.Println(dory["flag"], err)
	_, err = s.Create(ctx, boat(""), object.Object{"metadata": map[string]any{"name": "brig"}, "sails": int64(8)}, server.WriteOptions{})
	fmt.Println(err)
	// Output:
	// white <nil>
	// boats.example.com "brig" is forbidden: ValidatingAdmissionPolicy 'small' denied request: failed expression: object.sails <= 3
}
