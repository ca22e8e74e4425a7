package admission_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func ExampleMutatorFunc() {
	addOwner := admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		req.Object.SetAnnotations(map[string]string{"owner": req.User.Name})
		return nil
	})
	chain := admission.Chain{Mutators: []admission.Mutator{addOwner}}
	req := &admission.Request{Operation: admission.Create, User: object.User{Name: "jo"}, Object: object.Object{"kind": "Widget"}}
	err := chain.Run(context.Background(), req)
	fmt.Println(req.Object.Annotations(), err)
	// Output: map[owner:jo] <nil>
}

func ExampleValidatorFunc() {
	noFriday := admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		if req.Object.Name() == "friday" {
			return errors.New("not on a Friday")
		}
		return nil
	})
	chain := admission.Chain{Validators: []admission.Validator{noFriday}}
	fmt.Println(chain.Run(context.Background(), &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Object:    object.Object{"metadata": map[string]any{"name": "friday"}},
	}))
	// Output: widgets.example.com "friday" is forbidden: not on a Friday
}
