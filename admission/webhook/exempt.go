package webhook

import (
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// isExempt says whether a resource is out of the reach of webhooks: what configures
// admission, so that a webhook that denies everything can be taken back, and what is asked
// to find out who may do that.
func isExempt(gr object.GroupResource) bool {
	if gr.Group == registrationGroup {
		switch gr.Resource {
		case "validatingwebhookconfigurations", "mutatingwebhookconfigurations",
			"validatingadmissionpolicies", "validatingadmissionpolicybindings",
			"mutatingadmissionpolicies", "mutatingadmissionpolicybindings":
			return true
		}
	}
	return isVirtual(gr)
}

// isVirtual says whether a resource is a question about users and what they may do.
func isVirtual(gr object.GroupResource) bool {
	switch gr.Group {
	case authenticationGroup:
		return gr.Resource == "tokenreviews" || gr.Resource == "selfsubjectreviews"
	case authorizationGroup:
		switch gr.Resource {
		case "subjectaccessreviews", "localsubjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews":
			return true
		}
	}
	return false
}

// Warnings says which rules of a configuration have no effect, in the API's words, for who
// writes it.
func Warnings(document object.Object) []string {
	_, hooks, err := read(document)
	if err != nil {
		return nil // which compiling it says
	}
	var texts []string
	for i, hook := range hooks {
		for j := range hook.Rules {
			for _, gr := range virtualOf(&hook.Rules[j]) {
				texts = append(texts, fmt.Sprintf("webhooks[%d].rules[%d]: %s is excluded from admission webhooks; this rule will have no effect", i, j, gr))
			}
		}
	}
	return texts
}

// virtualOf gives the virtual resources that a rule names, each once. Who says "all" means others.
func virtualOf(r *match.Rule) []object.GroupResource {
	if slices.Contains(r.APIGroups, "*") || slices.Contains(r.Resources, "*") {
		return nil
	}
	var found []object.GroupResource
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			gr := object.GroupResource{Group: group, Resource: resource}
			if isVirtual(gr) && !slices.Contains(found, gr) {
				found = append(found, gr)
			}
		}
	}
	return found
}
