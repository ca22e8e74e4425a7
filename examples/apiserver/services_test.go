package main

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

func TestServicesLeadToAddresses(t *testing.T) {
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	api, err := server.New(server.Config{Store: store, Resources: builtin.Resources(), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() {
		require.NoError(t, api.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	}()
	require.NoError(t, createNamespace(t.Context(), api, "default"))
	known := services{api}
	for _, c := range []struct {
		name, spec, address, failure string
	}{
		{name: "outside", spec: `{"type":"ExternalName","externalName":"hooks.example.com"}`, address: "hooks.example.com:443"},
		{name: "cluster", spec: `{"clusterIP":"10.0.0.7","ports":[{"port":443}]}`, address: "10.0.0.7:443"},
		{name: "other-port", spec: `{"clusterIP":"10.0.0.8","ports":[{"port":80}]}`, failure: `no service port 443 found for service "other-port"`},
		{name: "headless", spec: `{"clusterIP":"None","ports":[{"port":443}]}`, failure: `service "headless" has no address`},
		{name: "missing", failure: `service "missing" not found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.spec != "" {
				o, err := object.Decode([]byte(`{"metadata":{"name":"` + c.name + `"},"spec":` + c.spec + `}`))
				require.NoError(t, err)
				_, err = api.Create(t.Context(), server.Target{
					Resource: object.GroupVersionResource{Version: "v1", Resource: "services"}, Namespace: "default",
				}, o, server.WriteOptions{})
				require.NoError(t, err)
			}
			address, err := known.address(t.Context(), "default", c.name, 443)
			require.Equal(t, c.address, address)
			if c.failure != "" {
				require.EqualError(t, err, c.failure)
			}
		})
	}
}
