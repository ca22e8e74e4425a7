package server

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// BenchmarkCreateUnderPolicies tells what admission adds to a create: nothing where there is
// none, and then one stage of Go, a policy of five expressions, five hundred policies of which
// one matches, and a policy that mutates.
func BenchmarkCreateUnderPolicies(b *testing.B) {
	const five = `"matchConditions":[{"name":"named","expression":"object.metadata.name != ''"}],
		"variables":[{"name":"color","expression":"object.spec.color"}],
		"validations":[{"expression":"variables.color in ['red','blue']"},{"expression":"object.spec.size < 100"},{"expression":"request.userInfo.username != 'nobody'"}]`
	for _, c := range []struct {
		name    string
		prepare func(s *Server)
	}{
		{"none", func(*Server) {}},
		{"a stage of Go", func(s *Server) {
			s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(context.Context, *admission.Request) error { return nil })}})
		}},
		{"five expressions", func(s *Server) { registerPolicy(b, s, "five", five, "") }},
		{"one of 500", func(s *Server) {
			registerPolicy(b, s, "five", five, "")
			for i := range 499 {
				name := fmt.Sprint("other", i)
				register(b, s, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", name, `"spec":{"policyName":"`+name+`","validationActions":["Deny"]}`)
				register(b, s, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", name, fmt.Sprintf(`"spec":{"matchConstraints":{"resourceRules":[
					{"apiGroups":["g%d.example.com"],"apiVersions":["*"],"operations":["CREATE"],"resources":["things"]}]},%s}`, i, five))
			}
		}},
		{"mutating", func(s *Server) {
			register(b, s, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", "m", `"spec":{"policyName":"m"}`)
			register(b, s, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", "m", `"spec":{"reinvocationPolicy":"Never",
				"matchConstraints":{"resourceRules":[{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["CREATE"],"resources":["widgets"]}]},
				"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op:'add',path:'/spec/by',value:'policy'}]"}}]}`)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newWorld(b, append(AdmissionKinds(), widgets())...)
			c.prepare(s)
			about := target("")
			about.User = object.User{Name: "jo"}
			o := widget("w", "color", "red", "size", int64(7))
			_, err := s.Create(b.Context(), about, o, WriteOptions{DryRun: []string{"All"}})
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Create(b.Context(), about, o, WriteOptions{DryRun: []string{"All"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
