package definition

import (
	"fmt"
	"slices"

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
		v.add(object.ValidateWebhookURL(*c.url, field+".url")...)
	default:
		v.add(object.ValidateWebhookService(c.service.namespace, c.service.name, c.service.path, c.service.port, field+".service")...)
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
