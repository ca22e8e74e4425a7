package main

import (
	"context"
	"encoding/json"
	"testing"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/yaml"
)

const (
	swaggerMessage    = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	swaggerMessageOld = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// TestOpenAPIMessage holds the two forms of /openapi/v2 against each other: the
// message is what the authors of its type make of the JSON.
func TestOpenAPIMessage(t *testing.T) {
	s := servingRacks(t)
	rest := s.client(t, "").Discovery().RESTClient()
	read := func(accept string) []byte {
		data, err := rest.Get().AbsPath("/openapi/v2").SetHeader("Accept", accept).Do(context.Background()).Raw()
		require.NoError(t, err)
		return data
	}
	text := read("application/json")
	want, err := openapiv2.ParseDocument(text)
	require.NoError(t, err)

	got, err := s.client(t, "").Discovery().OpenAPISchema()
	require.NoError(t, err)
	require.Equal(t, plain(t, want), plain(t, got))

	var again openapiv2.Document
	require.NoError(t, proto.Unmarshal(read(swaggerMessage), &again))
	require.True(t, proto.Equal(got, &again))

	checkDefinitions(t, text, got)
}

// checkDefinitions looks for each definition of the JSON in the message, with its
// properties and the kinds that it is.
func checkDefinitions(t *testing.T, text []byte, got *openapiv2.Document) {
	var document struct {
		Definitions map[string]struct {
			Properties map[string]any
			Kinds      []any `json:"x-kubernetes-group-version-kind"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	require.Contains(t, document.Definitions, "com.example.v1.Rack")
	require.Contains(t, document.Definitions, "io.k8s.api.apps.v1.Deployment")
	require.Len(t, got.Definitions.AdditionalProperties, len(document.Definitions))
	for _, named := range got.Definitions.AdditionalProperties {
		require.Contains(t, document.Definitions, named.Name)
		want := document.Definitions[named.Name]
		properties := named.Value.GetProperties().GetAdditionalProperties()
		require.Len(t, properties, len(want.Properties), named.Name)
		for _, p := range properties {
			require.Contains(t, want.Properties, p.Name, named.Name)
		}
		var kinds []any
		for _, extension := range named.Value.VendorExtension {
			if extension.Name == "x-kubernetes-group-version-kind" {
				require.NoError(t, yaml.Unmarshal([]byte(extension.Value.Yaml), &kinds))
			}
		}
		require.Equal(t, want.Kinds, kinds, named.Name)
	}
}

// plain gives a message as maps and lists, and what it holds as YAML read.
func plain(t *testing.T, m proto.Message) any {
	text, err := protojson.Marshal(m)
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	readYAML(t, v)
	return v
}

func readYAML(t *testing.T, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			readYAML(t, item)
		}
	case map[string]any:
		if text, ok := v["yaml"].(string); ok && len(v) == 1 {
			var inside any
			require.NoError(t, yaml.Unmarshal([]byte(text), &inside), text)
			v["yaml"] = inside
			return
		}
		for _, item := range v {
			readYAML(t, item)
		}
	}
}
