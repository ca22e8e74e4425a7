// Package builtin describes kinds of Kubernetes itself as resources of a server, with
// the Go types of k8s.io/api. It uses nothing but public packages, as any program can.
//
// Namespaces, ConfigMaps, Secrets, ServiceAccounts, Events (through both of their
// groups), Leases, PriorityClasses, LimitRanges, ResourceQuotas and the kinds of admission
// have all that the API makes of them: defaults, checks and columns. The others (table.go)
// have their names, types, schemas, defaults, status, scale and generation, and the place
// for more is their row.
//
// [Resources] gives all of them and [Codec] ties documents to a Go type. The
// package holds no state; its values may be shared by servers.
//
// A codec (codec.go) seldom makes values of its type. It compiles the type into a shape, which
// knows what documents of the type look like (shape.go, fit.go) and how its messages are laid out
// (layout.go). A message is made of the outline of a document (jsonreader.go, outline.go,
// encodewire.go), and a document of a message at one go (decodewire.go).
package builtin

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// Resources gives all kinds of this package, each time anew. Their groups come in the
// order in which the API prefers them.
func Resources() []server.Resource {
	t := newTypes()
	return slices.Concat(
		[]server.Resource{Namespaces(), ConfigMaps(), Secrets(), ServiceAccounts(), Events()}, resources(coreKinds(t)),
		resources(appsKinds(t)),
		[]server.Resource{RegardingEvents()},
		resources(autoscalingKinds(t)),
		resources(batchKinds(t)),
		resources(networkingKinds(t)),
		resources(policyKinds(t)),
		resources(accessKinds(t)),
		resources(storageKinds(t)),
		[]server.Resource{PriorityClasses(), Leases()},
		resources(discoveryKinds(t)),
		resources(admissionKinds(t)),
	)
}

func resources(rows []row) []server.Resource {
	out := make([]server.Resource, len(rows))
	for i := range rows {
		out[i] = rows[i].resource()
	}
	return out
}
