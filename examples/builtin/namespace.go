package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// Namespaces describes v1 Namespaces: those of [server.NamespaceKind] with their Go type and
// protobuf.
func Namespaces() server.Resource {
	r := server.NamespaceKind()
	version := &r.Versions[0]
	version.Codec, version.JSONOnly = Codec[corev1.Namespace](), false
	version.Columns[len(version.Columns)-1] = age() // in words, as for all kinds of this package
	r.Validate = named(r.Validate)
	return r
}
