package webhook

import "github.com/seed-6c0fa0ad/plinth/object"

// checkClient wants a URL or a service, or a function. Certificates count when the webhook is called.
func (h *Hook) checkClient(field string) object.FieldErrors {
	c := &h.ClientConfig
	switch {
	case h.Call != nil && (c.URL != nil || c.Service != nil):
		return object.FieldErrors{object.ForbiddenField(field, "may not be set beside a function")}
	case h.Call != nil:
		return nil
	case (c.URL == nil) == (c.Service == nil):
		return object.FieldErrors{object.RequiredField(field, "exactly one of url or service is required")}
	case c.URL != nil:
		return object.ValidateWebhookURL(*c.URL, field+".url")
	}
	return c.Service.check(field + ".service")
}

func (s *Service) check(field string) object.FieldErrors {
	port := int64(s.port())
	return object.ValidateWebhookService(s.Namespace, s.Name, s.Path, &port, field)
}

func (s *Service) port() int32 {
	if s.Port == nil {
		return defaultPort
	}
	return *s.Port
}

func (s *Service) path() string {
	if s.Path == nil {
		return ""
	}
	return *s.Path
}
