package webhook

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Answer is what a webhook says to a [Review].
type Answer struct {
	Allowed bool
	// Status says why the request is not allowed: its message, and the code and
	// reason that the client gets. It may be nil.
	Status *object.Status
	// Patch is a JSON Patch of Review.Object, from a webhook that mutates.
	Patch []byte

	Warnings         []string
	AuditAnnotations map[string]string // by keys to which the name of the webhook is added

	patchType string // if it isn't that of a JSON Patch
}

// Allow is the answer that lets a request pass, with warnings for the client.
func Allow(warnings ...string) Answer { return Answer{Allowed: true, Warnings: warnings} }

// Deny is the answer that refuses a request, with a message.
func Deny(format string, args ...any) Answer {
	return Answer{Status: &object.Status{Message: fmt.Sprintf(format, args...)}}
}

// reviewGroup is the API group of reviews, and reviewKind their kind.
const reviewGroup, reviewKind = "admission.k8s.io", "AdmissionReview"

// checkKind refuses documents that are no reviews of the version, in the words of the API's decoder.
// What they don't say of themselves, it takes for granted.
func checkKind(review object.Object, version string) error {
	kind, apiVersion := cmp.Or(review.Kind(), reviewKind), cmp.Or(review.APIVersion(), reviewGroup+"/"+version)
	found, isReview := strings.CutPrefix(apiVersion, reviewGroup+"/")
	switch {
	case !isReview || kind != reviewKind || found != v1 && found != v1beta1:
		return fmt.Errorf("no kind %q is registered for version %q in scheme %q", kind, apiVersion, "pkg/runtime/scheme.go:111")
	case found != version:
		return fmt.Errorf("converting (%s.AdmissionReview) to (%s.AdmissionReview): unknown conversion", found, version)
	}
	return nil
}

// readAnswer reads the AdmissionReview that answers one of a version, with this uid, and says what is
// wrong with it in the API's words. Older webhooks may be careless with it.
func readAnswer(review object.Object, version, uid string, mutates bool) (Answer, error) {
	response, ok := review["response"].(map[string]any)
	if !ok {
		return Answer{}, fmt.Errorf("webhook response was absent")
	}
	f := fields{of: response}
	a := Answer{
		Allowed: f.bool("allowed"), Patch: f.bytes("patch"),
		Warnings: f.texts("warnings"), AuditAnnotations: f.textMap("auditAnnotations"), Status: f.status("status"),
	}
	gotUID, patchType := f.text("uid"), f.text("patchType")
	if f.err != nil {
		return Answer{}, f.err
	}
	if version == v1beta1 {
		if !mutates {
			a.Patch = nil
		}
		return a, nil
	}
	if gotUID != uid {
		return Answer{}, fmt.Errorf("expected response.uid=%q, got %q", uid, gotUID)
	}
	wanted := object.GroupVersionKind{Group: reviewGroup, Version: version, Kind: reviewKind}
	if got := review.GroupVersionKind(); got != wanted {
		return Answer{}, fmt.Errorf("expected webhook response of %s, got %s", wanted, got)
	}
	if patchType != "JSONPatch" {
		a.patchType = patchType
	}
	hasType := response["patchType"] != nil
	return a, checkPatch(len(a.Patch) > 0, hasType, patchType, mutates)
}

func checkPatch(hasPatch, hasType bool, patchType string, mutates bool) error {
	switch {
	case !mutates && hasPatch:
		return fmt.Errorf("validating webhook may not return response.patch")
	case !mutates && hasType:
		return fmt.Errorf("validating webhook may not return response.patchType")
	case hasPatch && !hasType:
		return fmt.Errorf("webhook returned response.patch but not response.patchType")
	case !hasPatch && hasType:
		return fmt.Errorf("webhook returned response.patchType but not response.patch")
	case hasType && patchType == "":
		return fmt.Errorf("webhook returned invalid response.patchType of %q", patchType)
	}
	return nil
}

// fields reads fields of a response. What is null is not there. The first value of the wrong
// type is an error.
type fields struct {
	of  map[string]any
	err error
}

func (f *fields) wrong(name, wanted string) {
	if f.err == nil {
		f.err = fmt.Errorf("response.%s is of type %s where %s is wanted", name, object.JSONType(f.of[name]), wanted)
	}
}

func (f *fields) text(name string) string {
	text, ok := f.of[name].(string)
	if !ok && f.of[name] != nil {
		f.wrong(name, "string")
	}
	return text
}

func (f *fields) bool(name string) bool {
	b, ok := f.of[name].(bool)
	if !ok && f.of[name] != nil {
		f.wrong(name, "bool")
	}
	return b
}

func (f *fields) bytes(name string) []byte {
	data, err := base64.StdEncoding.DecodeString(f.text(name))
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("response.%s: %w", name, err)
	}
	return data
}

func (f *fields) texts(name string) []string {
	list, ok := f.of[name].([]any)
	if !ok && f.of[name] != nil {
		f.wrong(name, "array")
	}
	var texts []string
	for _, item := range list {
		text, ok := item.(string)
		if !ok && item != nil {
			f.wrong(name, "array of string")
		}
		texts = append(texts, text)
	}
	return texts
}

func (f *fields) textMap(name string) map[string]string {
	m, ok := f.of[name].(map[string]any)
	if !ok && f.of[name] != nil {
		f.wrong(name, "object")
	}
	texts := make(map[string]string, len(m))
	for key, value := range m {
		text, ok := value.(string)
		if !ok && value != nil {
			f.wrong(name, "object of string")
		}
		texts[key] = text
	}
	return texts
}

func (f *fields) status(name string) *object.Status {
	m, ok := f.of[name].(map[string]any)
	if !ok {
		if f.of[name] != nil {
			f.wrong(name, "object")
		}
		return nil
	}
	s, err := object.As[object.Status](m)
	if err != nil {
		if f.err == nil {
			f.err = fmt.Errorf("response.%s: %w", name, err)
		}
		return nil
	}
	return s
}
