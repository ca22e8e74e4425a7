// Package v1 holds the types of the group preview.example.com.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "preview.example.com", Version: "v1"}

// AddToScheme adds the types of this package to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Preview{}, &PreviewList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
