package definition

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// webhookRules are the checks of a conversion that depend on the old definition.
type webhookRules struct {
	reviewVersion bool // one of the versions of ConversionReview must be known
	anyCABundle   bool // the certificates need not be any
}

// relax gives the checks for an update of a definition with this conversion.
func (c *conversion) relax(established bool) webhookRules {
	r := webhookRules{reviewVersion: true, anyCABundle: !established}
	if c == nil {
		return r
	}
	r.reviewVersion = len(c.reviews) == 0 || slices.ContainsFunc(c.reviews, isReviewVersion)
	if c.client != nil && caBundleError(c.client.caBundle) != nil {
		r.anyCABundle = true
	}
	return r
}

func isReviewVersion(name string) bool { return name == "v1" || name == "v1beta1" }

func (v *validator) conversion() {
	const field = "spec.conversion"
	c := v.doc.conversion
	if c == nil {
		return
	}
	if c.strategy != "None" && v.doc.preserve {
		v.invalid(field+".strategy", c.strategy, "must be None if spec.preserveUnknownFields is true")
	}
	switch c.strategy {
	case "None":
	case "Webhook":
		v.webhookClient(c.client, field+".webhookClientConfig")
		v.reviewVersions(c.reviews, field+".conversionReviewVersions")
		return
	case "":
		v.add(object.RequiredField(field+".strategy", ""))
	default:
		v.add(object.UnsupportedField(field+".strategy", c.strategy, "None", "Webhook"))
	}
	const unwanted = "should not be set when strategy is not set to Webhook"
	if c.client != nil {
		v.add(object.ForbiddenField(field+".webhookClientConfig", unwanted))
	}
	if len(c.reviews) > 0 {
		v.add(object.ForbiddenField(field+".conversionReviewVersions", unwanted))
	}
}

func (v *validator) webhookClient(c *client, field string) {
	if c == nil {
		v.add(object.RequiredField(field, "required when strategy is set to Webhook"))
		return
	}
	switch {
	case (c.url == nil) == (c.service == nil):
		v.add(object.RequiredField(field, "exactly one of url or service is required"))
	case c.url != nil:
		v.add(urlErrors(*c.url, field+".url")...)
	default:
		v.add(serviceErrors(c.service, field+".service")...)
	}
	if err := caBundleError(c.caBundle); err != nil && !v.webhook.anyCABundle {
		v.invalid(field+".caBundle", c.caBundle, err.Error())
	}
}

func (v *validator) reviewVersions(names []string, field string) {
	if len(names) == 0 {
		v.add(object.RequiredField(field, ""))
		return
	}
	for i, name := range names {
		field := fmt.Sprintf("%s[%d]", field, i)
		if slices.Contains(names[:i], name) {
			v.invalid(field, name, "duplicate version")
			continue
		}
		for _, problem := range object.ValidateDNS1035Name(name, false) {
			v.invalid(field, name, problem)
		}
	}
	if v.webhook.reviewVersion && !slices.ContainsFunc(names, isReviewVersion) {
		v.invalid(field, names, "must include at least one of v1, v1beta1")
	}
}

// urlErrors says what is wrong with the URL of a webhook.
func urlErrors(text, field string) object.FieldErrors {
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

// serviceErrors says what is wrong with the service of a webhook.
func serviceErrors(s *service, field string) object.FieldErrors {
	var errs object.FieldErrors
	if s.namespace == "" { // the API mixes the two up
		errs = append(errs, object.RequiredField(field+".name", ""))
	}
	if s.name == "" {
		errs = append(errs, object.RequiredField(field+".namespace", ""))
	}
	port := int64(443)
	if s.port != nil {
		port = *s.port
	}
	if port < 1 || port > 65535 {
		errs = append(errs, object.InvalidField(field+".port", port, "port is not valid: must be between 1 and 65535, inclusive"))
	}
	if s.path == nil || *s.path == "" || *s.path == "/" {
		return errs
	}
	for _, problem := range servicePathProblems(*s.path) {
		errs = append(errs, object.InvalidField(field+".path", *s.path, problem))
	}
	return errs
}

func servicePathProblems(path string) []string {
	if path == "//" {
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
