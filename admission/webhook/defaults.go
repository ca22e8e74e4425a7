package webhook

import "github.com/seed-6c0fa0ad/plinth/object"

// SetDefaults sets what the API sets in a configuration of webhooks that leaves it out, in the
// document itself. What has the wrong type, it leaves alone.
func SetDefaults(document object.Object) {
	for _, hook := range eachMap(document["webhooks"]) {
		setDefault(hook, "failurePolicy", fail)
		setDefault(hook, "matchPolicy", equivalent)
		setDefault(hook, "namespaceSelector", map[string]any{})
		setDefault(hook, "objectSelector", map[string]any{})
		setDefault(hook, "timeoutSeconds", int64(defaultTimeout))
		if document.Kind() == mutatingKind {
			setDefault(hook, "reinvocationPolicy", never)
		}
		for _, rule := range eachMap(hook["rules"]) {
			setDefault(rule, "scope", "*")
		}
		client, _ := hook["clientConfig"].(map[string]any)
		if service, ok := client["service"].(map[string]any); ok {
			setDefault(service, "port", int64(defaultPort))
		}
	}
}

// eachMap gives those items of a list that are maps.
func eachMap(list any) []map[string]any {
	items, _ := list.([]any)
	found := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

func setDefault(m map[string]any, field string, value any) {
	if m[field] == nil {
		m[field] = value
	}
}
