package webhook

import (
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Hook is one webhook of a configuration, in the API's fields. What is left out has the
// API's default.
type Hook struct {
	Name                    string                    `json:"name"` // qualified, such as sidecars.example.com
	ClientConfig            ClientConfig              `json:"clientConfig"`
	Rules                   []match.Rule              `json:"rules,omitempty"`         // without any, it is never asked
	FailurePolicy           string                    `json:"failurePolicy,omitempty"` // Fail (the default) or Ignore
	MatchPolicy             string                    `json:"matchPolicy,omitempty"`   // Exact or Equivalent (the default)
	NamespaceSelector       *object.LabelSelectorSpec `json:"namespaceSelector,omitempty"`
	ObjectSelector          *object.LabelSelectorSpec `json:"objectSelector,omitempty"`
	SideEffects             string                    `json:"sideEffects,omitempty"`    // None or NoneOnDryRun
	TimeoutSeconds          *int32                    `json:"timeoutSeconds,omitempty"` // 10 is the default
	AdmissionReviewVersions []string                  `json:"admissionReviewVersions,omitempty"`
	ReinvocationPolicy      string                    `json:"reinvocationPolicy,omitempty"` // Never (the default) or IfNeeded
	MatchConditions         []policy.MatchCondition   `json:"matchConditions,omitempty"`

	// Call, if set, is what is asked in place of an address. Such a hook needs neither
	// side effects, of which it has none, nor review versions.
	Call Func `json:"-"`
}

// ClientConfig says where a webhook is: at a URL or behind a service.
type ClientConfig struct {
	URL      *string  `json:"url,omitempty"`
	Service  *Service `json:"service,omitempty"`
	CABundle []byte   `json:"caBundle,omitempty"` // of PEM; without it, those of the system count
}

// Service names a service of the cluster.
type Service struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Path      *string `json:"path,omitempty"`
	Port      *int32  `json:"port,omitempty"` // 443 is the default
}

// Words of the API.
const (
	fail, ignore        = "Fail", "Ignore"
	equivalent, exact   = "Equivalent", "Exact"
	never, ifNeeded     = "Never", "IfNeeded"
	none, noneOnDryRun  = "None", "NoneOnDryRun"
	v1, v1beta1         = "v1", "v1beta1"
	mutatingKind        = "MutatingWebhookConfiguration"
	defaultTimeout      = int32(10)
	defaultPort         = int32(443)
	maxTimeout          = 30
	registrationGroup   = "admissionregistration.k8s.io"
	authenticationGroup = "authentication.k8s.io"
	authorizationGroup  = "authorization.k8s.io"
)
