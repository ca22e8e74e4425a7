package webhook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// check says what is wrong with a hook but for its conditions, in the API's order and words.
func (h *Hook) check(field string, mutates bool) object.FieldErrors {
	errs := checkName(field+".name", h.Name)
	for i := range h.Rules {
		errs = append(errs, h.Rules[i].Check(fmt.Sprintf("%s.rules[%d]", field, i))...)
	}
	errs = append(errs, checkWord(field+".failurePolicy", h.FailurePolicy, fail, ignore)...)
	errs = append(errs, checkWord(field+".matchPolicy", h.MatchPolicy, equivalent, exact)...)
	errs = append(errs, h.checkSideEffects(field+".sideEffects")...)
	if t := h.TimeoutSeconds; t != nil && (*t < 1 || *t > maxTimeout) {
		errs = append(errs, object.InvalidField(field+".timeoutSeconds", *t, fmt.Sprintf("the timeout value must be between 1 and %d seconds", maxTimeout)))
	}
	if h.NamespaceSelector != nil {
		errs = append(errs, h.NamespaceSelector.Validate(field+".namespaceSelector")...)
	}
	if h.ObjectSelector != nil {
		errs = append(errs, h.ObjectSelector.Validate(field+".objectSelector")...)
	}
	if mutates {
		errs = append(errs, checkWord(field+".reinvocationPolicy", h.ReinvocationPolicy, ifNeeded, never)...)
	}
	return append(errs, h.checkClient(field+".clientConfig")...)
}

// checkName wants a name that is qualified by a domain.
func checkName(field, name string) object.FieldErrors {
	if name == "" {
		return object.FieldErrors{object.RequiredField(field, "")}
	}
	if problems := object.ValidateSubdomainName(name, false); len(problems) > 0 {
		return object.FieldErrors{object.InvalidField(field, name, strings.Join(problems, ","))}
	}
	if strings.Count(name, ".") < 2 {
		return object.FieldErrors{object.InvalidField(field, name, "should be a domain with at least three segments separated by dots")}
	}
	return nil
}

// checkWord wants one of the words of the API, or none.
func checkWord(field, word string, words ...string) object.FieldErrors {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return object.FieldErrors{object.UnsupportedField(field, word, words...)}
}

func (h *Hook) checkSideEffects(field string) object.FieldErrors {
	if h.SideEffects == "" && h.Call == nil {
		return object.FieldErrors{object.RequiredField(field, "must specify one of None, NoneOnDryRun")}
	}
	return checkWord(field, h.SideEffects, none, noneOnDryRun)
}

// checkVersions wants versions of AdmissionReview, one of which must be known.
func (h *Hook) checkVersions(field string) object.FieldErrors {
	if len(h.AdmissionReviewVersions) == 0 {
		if h.Call != nil {
			return nil
		}
		return object.FieldErrors{object.RequiredField(field, "must specify one of v1, v1beta1")}
	}
	var errs object.FieldErrors
	for i, version := range h.AdmissionReviewVersions {
		at := fmt.Sprintf("%s[%d]", field, i)
		if slices.Contains(h.AdmissionReviewVersions[:i], version) {
			errs = append(errs, object.InvalidField(at, version, "duplicate version"))
			continue
		}
		for _, problem := range object.ValidateDNS1035Name(version, false) {
			errs = append(errs, object.InvalidField(at, version, problem))
		}
	}
	if h.reviewVersion() == "" {
		errs = append(errs, object.InvalidField(field, h.AdmissionReviewVersions, "must include at least one of v1, v1beta1"))
	}
	return errs
}

// reviewVersion is the first version of AdmissionReview that is known here.
func (h *Hook) reviewVersion() string {
	for _, version := range h.AdmissionReviewVersions {
		if version == v1 || version == v1beta1 {
			return version
		}
	}
	return ""
}
