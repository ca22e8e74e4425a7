package definition

import (
	"errors"
	"fmt"
	"maps"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Review gives the ConversionReview that asks the webhook of a definition to convert
// objects to a version; its answer is for [Definition.Converted]. The uid is to be
// new for each review. The objects go into it as they are.
func (d *Definition) Review(uid, version string, objects []object.Object) (object.Object, error) {
	reviewVersion := ""
	for _, name := range d.Conversion.Webhook.ReviewVersions {
		if name == "v1" || name == "v1beta1" {
			reviewVersion = name
			break
		}
	}
	if reviewVersion == "" {
		return nil, errors.New("no supported conversion review versions")
	}
	list := make([]any, len(objects))
	for i, o := range objects {
		list[i] = map[string]any(o)
	}
	return object.Object{
		"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/" + reviewVersion,
		"request": map[string]any{"uid": uid, "desiredAPIVersion": d.Group + "/" + version, "objects": list},
		"response": map[string]any{
			"uid": "", "convertedObjects": nil, "result": map[string]any{"metadata": map[string]any{}},
		},
	}, nil
}

// Converted takes the objects out of the answer to a [Definition.Review] of the uid,
// in the order of those sent, whose metadata they keep but for labels and
// annotations. Of the answer, the objects become the caller's; those sent are only
// read. Errors are in the API's words, which answers them with 500.
func (d *Definition) Converted(answer object.Object, uid, version string, sent []object.Object) ([]object.Object, error) {
	if len(sent) == 0 {
		return nil, nil
	}
	gvk := sent[0].GroupVersionKind()
	converted, err := answered(answer, uid)
	if err != nil {
		return nil, ConversionError(gvk, err)
	}
	if len(converted) != len(sent) {
		return nil, fmt.Errorf("conversion webhook for %v returned %d objects, expected %d", gvk, len(converted), len(sent))
	}
	want := object.GroupVersion{Group: d.Group, Version: version}
	objects := make([]object.Object, len(sent))
	for i, v := range converted {
		if objects[i], err = taken(v); err != nil {
			return nil, err
		}
		if err := checkType(objects[i], want, gvk, i); err != nil {
			return nil, err
		}
		if err := checkIdentity(objects[i], sent[i]); err != nil {
			return nil, fmt.Errorf("conversion webhook for %v returned invalid object: %w", gvk, err)
		}
		if err := restoreMetadata(objects[i], sent[i]); err != nil {
			return nil, fmt.Errorf("conversion webhook for %v returned invalid metadata: %w", gvk, err)
		}
	}
	return objects, nil
}

// ConversionError words that the webhook could not be asked, or said no, about an
// object of that type.
func ConversionError(gvk object.GroupVersionKind, err error) error {
	return fmt.Errorf("conversion webhook for %v failed: %w", gvk, err)
}

// answered gives the converted objects of an answer that tells of success.
func answered(answer object.Object, uid string) ([]any, error) {
	const want = "apiextensions.k8s.io/v1, Kind=ConversionReview"
	beta := answer.APIVersion() == "apiextensions.k8s.io/v1beta1"
	response := node(answer).node("response")
	result := response.node("result")
	switch got := answer.GroupVersionKind().String(); {
	case !beta && got != want:
		return nil, fmt.Errorf("expected webhook response of %s, got %s", want, got)
	case response == nil:
		return nil, errors.New("no response provided")
	case !beta && response.text("uid") != uid:
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, response.text("uid"))
	case result.text("status") == "Success":
		list, _ := response["convertedObjects"].([]any)
		return list, nil
	case result.text("message") != "":
		return nil, errors.New(result.text("message"))
	}
	return nil, fmt.Errorf("response.result.status was '%s', not 'Success'", result.text("status"))
}

// taken checks that a converted object is one.
func taken(v any) (object.Object, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("json: cannot unmarshal %s into Go value of type map[string]interface {}", object.JSONType(v))
	}
	if o := object.Object(m); o.Kind() != "" {
		return o, nil
	}
	//lint:ignore ST1005 the API's words
	return nil, fmt.Errorf("Object 'Kind' is missing in '%s'", object.AppendJSON(nil, m))
}

func checkType(o object.Object, want object.GroupVersion, sent object.GroupVersionKind, i int) error {
	got := o.GroupVersionKind()
	problem := ""
	switch {
	case got.GroupVersion() != want:
		problem = fmt.Sprintf("invalid groupVersion (expected %v, received %v)", want, got.GroupVersion())
	case got.Kind != sent.Kind:
		problem = fmt.Sprintf("invalid kind (expected %v, received %v)", sent.Kind, got.Kind)
	default:
		return nil
	}
	return fmt.Errorf("conversion webhook for %v returned invalid object at index %d: %s", sent, i, problem)
}

// checkIdentity checks that a converted object is still the one sent.
func checkIdentity(o, sent object.Object) error {
	for _, f := range []struct{ name, sent, got string }{
		{"name", sent.Name(), o.Name()},
		{"namespace", sent.Namespace(), o.Namespace()},
		{"UID", sent.UID(), o.UID()},
	} {
		if f.sent != f.got {
			return fmt.Errorf("must have the same %s: %s != %s", f.name, f.sent, f.got)
		}
	}
	return nil
}

// restoreMetadata gives a converted object the metadata of the one sent, with its own
// labels and annotations.
func restoreMetadata(o, sent object.Object) error {
	value, ok := o["metadata"]
	if !ok {
		return errors.New("missing metadata in converted object")
	}
	own, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("invalid metadata of type %T in converted object", value)
	}
	meta := map[string]any(object.Object(sent.Metadata()).DeepCopy())
	if meta == nil {
		meta = map[string]any{}
	}
	o["metadata"] = meta
	for _, name := range []string{"labels", "annotations"} {
		if own[name] == nil {
			delete(meta, name)
			continue
		}
		texts, ok := own[name].(map[string]any)
		if !ok {
			return fmt.Errorf("invalid metadata.%s of type %T in converted object", name, own[name])
		}
		if err := checkTexts(name, texts, meta[name]); err != nil {
			return err
		}
		meta[name] = texts
	}
	return nil
}

// checkTexts checks the labels or annotations of a converted object if they changed.
func checkTexts(name string, texts map[string]any, before any) error {
	for key, v := range texts {
		if _, ok := v.(string); !ok {
			return fmt.Errorf("metadata.%s[%s] must be a string, but is %T in converted object", name, key, v)
		}
	}
	old, _ := before.(map[string]any)
	if maps.Equal(texts, old) {
		return nil
	}
	o := object.Object{"metadata": map[string]any{"name": "any", name: texts}}
	errs := object.ValidateMeta(o, false, object.ValidatePathSegmentName)
	if len(errs) == 0 {
		return nil
	}
	if name == "annotations" {
		for _, e := range errs {
			e.Field = "metadata.annotation" // as the API writes it here
		}
	}
	return errs
}
