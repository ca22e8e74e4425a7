// Package builtin describes kinds of Kubernetes itself as resources of a server:
// Namespaces, ConfigMaps, Secrets, ServiceAccounts, Events (through both of their
// groups), Leases and PriorityClasses. It uses nothing but the public packages
// server and object, as any program can, and takes the Go types from k8s.io/api.
//
// [Resources] gives all of them and [Codec] ties documents to a Go type. The
// package holds no state; its values may be shared by servers.
package builtin

import "github.com/seed-6c0fa0ad/plinth/server"

// Resources gives all kinds of this package, each time anew.
func Resources() []server.Resource {
	return []server.Resource{
		Namespaces(), ConfigMaps(), Secrets(), ServiceAccounts(),
		Events(), RegardingEvents(), Leases(), PriorityClasses(),
	}
}
