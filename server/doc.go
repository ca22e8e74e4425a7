// Package server serves a store of objects over the HTTP API of Kubernetes.
package server
