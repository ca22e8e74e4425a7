package webhook

import "github.com/seed-6c0fa0ad/plinth/object/callout"

// targetOf reads a client configuration that was checked.
func targetOf(c *ClientConfig) (callout.Target, error) {
	if s := c.Service; s != nil {
		return callout.AtService(s.Namespace, s.Name, s.port(), s.path(), c.CABundle), nil
	}
	return callout.AtURL(*c.URL, c.CABundle)
}

// Targets are where the webhooks of configurations are, for [callout.Clients.Retain].
func Targets(configurations ...*Configuration) []callout.Target {
	var all []callout.Target
	for _, c := range configurations {
		for _, h := range c.hooks {
			if h.function == nil {
				all = append(all, h.target)
			}
		}
	}
	return all
}
