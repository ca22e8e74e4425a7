package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Finalizer keeps a preview until its host is released.
const Finalizer = "preview.example.com/host"

// Types and reasons of conditions.
const (
	ConditionReady = "Ready" // all replicas run and the host is claimed

	ReasonRunning   = "Running"
	ReasonStarting  = "Starting"
	ReasonHostTaken = "HostTaken"
)

// Preview runs an image under a host of its own for some time.
type Preview struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PreviewSpec   `json:"spec,omitempty"`
	Status PreviewStatus `json:"status,omitempty"`
}

// PreviewSpec is what is wanted.
type PreviewSpec struct {
	// Image is what runs.
	Image string `json:"image"`

	// Host is where it is found. It cannot be changed.
	Host string `json:"host"`

	// Replicas are how many of it run; 1, if not given.
	Replicas *int32 `json:"replicas,omitempty"`

	// TTL is how long it lives; a day, if not given.
	TTL *metav1.Duration `json:"ttl,omitempty"`

	// Env are settings of the program. Two with one name cannot be.
	Env []EnvVar `json:"env,omitempty"`
}

// EnvVar is one setting.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// PreviewStatus is what was found.
type PreviewStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Replicas           int32              `json:"replicas,omitempty"`
	Selector           string             `json:"selector,omitempty"`
	ExpiresAt          *metav1.Time       `json:"expiresAt,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// PreviewList is a list of previews.
type PreviewList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Preview `json:"items"`
}
