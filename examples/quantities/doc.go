// Package quantities compares object/quantity with the quantities of k8s.io/apimachinery.
package quantities
