package webhook

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

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
		return checkURL(field+".url", *c.URL)
	}
	return c.Service.check(field + ".service")
}

func checkURL(field, text string) object.FieldErrors {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		return object.FieldErrors{object.RequiredField(field, "url must be a valid URL: "+err.Error()+form)}
	}
	var errs object.FieldErrors
	refuse := func(value, detail string) { errs = append(errs, object.InvalidField(field, value, detail)) }
	if u.Scheme != "https" {
		refuse(u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		refuse(u.Host, "host must be specified"+form)
	}
	if u.User != nil {
		refuse(u.User.String(), "user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		refuse(u.Fragment, "fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		refuse(u.RawQuery, "query parameters are not permitted in the URL")
	}
	return errs
}

func (s *Service) check(field string) object.FieldErrors {
	var errs object.FieldErrors
	if s.Namespace == "" { // the API mixes the two up
		errs = append(errs, object.RequiredField(field+".name", ""))
	}
	if s.Name == "" {
		errs = append(errs, object.RequiredField(field+".namespace", ""))
	}
	if port := s.port(); port < 1 || port > 65535 {
		errs = append(errs, object.InvalidField(field+".port", port, "port is not valid: must be between 1 and 65535, inclusive"))
	}
	for _, problem := range pathProblems(s.path()) {
		errs = append(errs, object.InvalidField(field+".path", *s.Path, problem))
	}
	return errs
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

// pathProblems wants a path whose segments could be names of subdomains.
func pathProblems(path string) []string {
	switch path {
	case "", "/":
		return nil
	case "//":
		return []string{"segment[0] may not be empty"}
	}
	var problems []string
	if path[0] != '/' {
		problems = append(problems, "must start with a '/'")
	}
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		if segment == "" {
			problems = append(problems, fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, problem := range object.ValidateSubdomainName(segment, false) {
			problems = append(problems, fmt.Sprintf("segment[%d]: %s", i, problem))
		}
	}
	return problems
}
