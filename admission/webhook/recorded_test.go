package webhook_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// recordedConfiguration is what kube-apiserver v1.37.2 said to a configuration: what is wrong with
// it, or what its webhooks became by defaulting.
type recordedConfiguration struct {
	Name     string
	Document object.Object
	Causes   []object.Cause
	Webhooks []any
}

func readRecorded(t testing.TB) []recordedConfiguration {
	data, err := os.ReadFile("testdata/configurations.json")
	require.NoError(t, err)
	var all []recordedConfiguration
	require.NoError(t, json.Unmarshal(data, &all))
	for i := range all {
		all[i].Document, err = object.Decode(object.AppendJSON(nil, all[i].Document)) // with whole numbers
		require.NoError(t, err)
	}
	return all
}

// compile compiles a document by its kind.
func compile(c *webhook.Compiler, document object.Object) (*webhook.Configuration, object.FieldErrors) {
	if document.Kind() == "MutatingWebhookConfiguration" {
		return c.CompileMutating(document)
	}
	return c.CompileValidating(document)
}

func TestConfigurationsAreRefusedInTheWordsOfTheAPI(t *testing.T) {
	var compiler webhook.Compiler
	for _, r := range readRecorded(t) {
		t.Run(r.Name, func(t *testing.T) {
			webhook.SetDefaults(r.Document)
			configuration, errs := compile(&compiler, r.Document)
			var causes []object.Cause
			for _, e := range errs {
				causes = append(causes, object.Cause{Reason: string(e.Type), Message: e.Body(), Field: e.Field})
			}
			require.Equal(t, r.Causes, causes)
			require.Equal(t, len(r.Causes) > 0, configuration == nil)
		})
	}
}

func TestDefaultsAreThoseOfTheAPI(t *testing.T) {
	for _, r := range readRecorded(t) {
		if len(r.Webhooks) == 0 {
			continue
		}
		hook := r.Document["webhooks"].([]any)[0].(map[string]any)
		delete(hook, "reinvocationPolicy") // which was dropped as unknown
		webhook.SetDefaults(r.Document)
		want, err := object.DecodeValue(object.AppendJSON(nil, r.Webhooks))
		require.NoError(t, err)
		require.Equal(t, want, r.Document["webhooks"])
	}

	document, err := object.Decode([]byte(`{"kind":"MutatingWebhookConfiguration","webhooks":[
		{"clientConfig":{"service":{"name":"a"}},"rules":[{},{"scope":"Cluster"},5],"failurePolicy":null,"timeoutSeconds":3}, "x", {}]}`))
	require.NoError(t, err)
	webhook.SetDefaults(document)
	const rest = `"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{},"reinvocationPolicy":"Never"`
	require.JSONEq(t, `[
		{"clientConfig":{"service":{"name":"a","port":443}},"rules":[{"scope":"*"},{"scope":"Cluster"},5],"failurePolicy":"Fail","timeoutSeconds":3,`+rest+`}, "x",
		{"failurePolicy":"Fail","timeoutSeconds":10,`+rest+`}]`, string(object.AppendJSON(nil, document["webhooks"])))
	webhook.SetDefaults(object.Object{"webhooks": "none"})
}
