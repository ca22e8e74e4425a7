package apply

import (
	"bytes"
	"encoding/json"
	"maps"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/merge"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Client-side apply keeps the configuration in an annotation, and so knows what it
// applied before. When kubectl goes over to server-side apply, and back, the server keeps
// the two in step: only for its default manager, and only if the annotation is there.
const (
	lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"
	lastAppliedManager    = "kubectl"
)

// maxAnnotations is how many bytes the annotations of an object may have.
const maxAnnotations = 256 << 10

// withoutHandedOver leaves out conflicts about fields that were applied on the client's
// side and have not changed since: they are handed over.
func (a *application) withoutHandedOver(conflicts merge.Conflicts) merge.Conflicts {
	if a.writer.Manager != lastAppliedManager {
		return conflicts
	}
	applied, err := a.lastApplied()
	if err != nil || applied == nil {
		return conflicts
	}
	var left merge.Conflicts
	for _, c := range conflicts {
		if !applied.Has(c.Path) {
			left = append(left, c)
		}
	}
	return left
}

// lastApplied lists what was applied on the client's side and is still so; nil if
// that is not known.
func (a *application) lastApplied() (*fieldpath.Set, error) {
	text, _ := annotationsOf(a.before)[lastAppliedAnnotation].(string)
	if text == "" {
		return nil, nil
	}
	live, err := a.write.read(a.before, a.apiVersion())
	if err != nil {
		return nil, err
	}
	config, err := object.Decode([]byte(text))
	if err != nil || config.APIVersion() != a.apiVersion() {
		return nil, err
	}
	applied, err := a.write.read(config, a.apiVersion())
	if err != nil {
		return nil, err
	}
	fields, err := applied.ToFieldSet()
	if err != nil {
		return nil, err
	}
	diff, err := applied.Compare(live)
	if err != nil {
		return nil, err
	}
	return fields.Difference(diff.Modified).Difference(diff.Added).Difference(diff.Removed), nil
}

func annotationsOf(o object.Object) map[string]any {
	m, _ := o.Metadata()["annotations"].(map[string]any)
	return m
}

// withLastApplied keeps the annotation in step with what was applied.
func (a *application) withLastApplied(o object.Object) (next object.Object, changed bool) {
	annotations := annotationsOf(o)
	text, _ := annotations[lastAppliedAnnotation].(string)
	if a.writer.Manager != lastAppliedManager || text == "" {
		return o, false
	}
	annotations = maps.Clone(annotations)
	annotations[lastAppliedAnnotation] = lastAppliedText(a.config)
	if sizeOfTexts(annotations) > maxAnnotations {
		delete(annotations, lastAppliedAnnotation)
	}
	if annotations[lastAppliedAnnotation] == text {
		return o, false
	}
	next = maps.Clone(o)
	metadata := maps.Clone(o.Metadata())
	metadata["annotations"] = annotations
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	next["metadata"] = metadata
	return next, true
}

func sizeOfTexts(m map[string]any) (size int) {
	for name, v := range m {
		text, _ := v.(string)
		size += len(name) + len(text)
	}
	return size
}

// lastAppliedText is a configuration as kubectl would have put it into the annotation.
func lastAppliedText(config object.Object) string {
	if annotations := annotationsOf(config); annotations != nil {
		annotations = maps.Clone(annotations)
		delete(annotations, lastAppliedAnnotation)
		config = maps.Clone(config)
		metadata := maps.Clone(config.Metadata())
		metadata["annotations"] = annotations
		config["metadata"] = metadata
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text) // it escapes what kubectl escapes, and ends the line
	_ = encoder.Encode(map[string]any(config))
	return text.String()
}
