package object

import (
	"fmt"
	"net/url"
	"strings"
)

// ValidateWebhookURL says what is wrong with the URL of a webhook.
func ValidateWebhookURL(text, field string) FieldErrors {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		return FieldErrors{RequiredField(field, "url must be a valid URL: "+err.Error()+form)}
	}
	var errs FieldErrors
	refuse := func(value, detail string) { errs = append(errs, InvalidField(field, value, detail)) }
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

// ValidateWebhookService says what is wrong with the service of a webhook. Path and port are nil if they
// are left out.
func ValidateWebhookService(namespace, name string, path *string, port *int64, field string) FieldErrors {
	var errs FieldErrors
	if namespace == "" { // the API mixes the two up
		errs = append(errs, RequiredField(field+".name", ""))
	}
	if name == "" {
		errs = append(errs, RequiredField(field+".namespace", ""))
	}
	if port != nil && (*port < 1 || *port > 65535) {
		errs = append(errs, InvalidField(field+".port", *port, "port is not valid: must be between 1 and 65535, inclusive"))
	}
	if path != nil {
		for _, problem := range pathProblems(*path) {
			errs = append(errs, InvalidField(field+".path", *path, problem))
		}
	}
	return errs
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
		for _, problem := range ValidateSubdomainName(segment, false) {
			problems = append(problems, fmt.Sprintf("segment[%d]: %s", i, problem))
		}
	}
	return problems
}
