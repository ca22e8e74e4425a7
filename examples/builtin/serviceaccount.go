package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// ServiceAccounts describes v1 ServiceAccounts.
func ServiceAccounts() server.Resource {
	return server.Resource{
		Plural: "serviceaccounts", Kind: "ServiceAccount", ShortNames: []string{"sa"}, Namespaced: true,
		Versions: []server.Version{{
			Name:    "v1",
			Codec:   Codec[corev1.ServiceAccount](),
			Columns: []server.Column{age()},
		}},
		ReturnDeleted: true,
		Rules:         server.Rules{Prepare: prepareServiceAccount, Validate: named(nothing)},
	}
}

// prepareServiceAccount keeps nothing of a reference to a secret but the name.
func prepareServiceAccount(next, _ object.Object) {
	secrets := list(next, "secrets")
	if len(secrets) == 0 {
		return
	}
	names := make([]any, len(secrets))
	for i, secret := range secrets {
		reference := map[string]any{}
		m, _ := secret.(map[string]any)
		if name, ok := m["name"].(string); ok {
			reference["name"] = name
		}
		names[i] = reference
	}
	next["secrets"] = names
}
