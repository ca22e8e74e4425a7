package webhook

import "github.com/seed-6c0fa0ad/plinth/object"

// isExempt says whether a resource is out of the reach of webhooks: what configures
// admission, so that a webhook that denies everything can be taken back, and what is asked
// to find out who may do that.
func isExempt(gr object.GroupResource) bool {
	switch gr.Group {
	case registrationGroup:
		switch gr.Resource {
		case "validatingwebhookconfigurations", "mutatingwebhookconfigurations",
			"validatingadmissionpolicies", "validatingadmissionpolicybindings",
			"mutatingadmissionpolicies", "mutatingadmissionpolicybindings":
			return true
		}
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
