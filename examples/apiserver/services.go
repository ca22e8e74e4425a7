package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// services finds the services that webhooks name among those that the server keeps. Nothing
// here routes to cluster addresses; a Service of type ExternalName leads to any host.
type services struct{ api *server.Server }

// address is for [server.Config].
func (s *services) address(ctx context.Context, namespace, name string, port int32) (string, error) {
	o, err := s.api.Get(ctx, server.Target{
		Resource: object.GroupVersionResource{Version: "v1", Resource: "services"}, Namespace: namespace, Name: name,
	})
	if object.IsNotFound(err) {
		return "", fmt.Errorf("service %q not found", name)
	}
	if err != nil {
		return "", err
	}
	spec, _ := o["spec"].(map[string]any)
	host, _ := spec["clusterIP"].(string)
	if spec["type"] == "ExternalName" {
		host, _ = spec["externalName"].(string)
	} else if !hasPort(spec, port) {
		return "", fmt.Errorf("no service port %d found for service %q", port, name)
	}
	if host == "" || host == "None" {
		return "", fmt.Errorf("service %q has no address", name)
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port))), nil
}

func hasPort(spec map[string]any, port int32) bool {
	ports, _ := spec["ports"].([]any)
	for _, p := range ports {
		if m, ok := p.(map[string]any); ok && m["port"] == int64(port) {
			return true
		}
	}
	return false
}
