package guard_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/guard"
)

func Example() {
	events, err := guard.NewEventRate(guard.EventLimit{Type: guard.NamespaceLimit, QPS: 10, Burst: 1})
	if err != nil {
		panic(err)
	}
	chain := admission.Chain{
		Mutators:   []admission.Mutator{guard.Namespaces{Reader: namespaces{"team": "Active"}}},
		Validators: []admission.Validator{guard.Owners{Authorizer: rights{}, Kinds: kinds{}}, events},
	}
	for range 2 {
		fmt.Println(chain.Run(context.Background(), event("team", "jane", nil)))
	}
	fmt.Println(chain.Run(context.Background(), event("nowhere", "jane", nil)))
	// Output:
	// <nil>
	// Too many requests: limit reached on type Namespace for key team
	// namespaces "nowhere" not found
}
