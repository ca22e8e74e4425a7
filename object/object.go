package object

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Object is a document of the API: the JSON value itself, with methods. Its
// values are those of JSON: nil, bool, int64, float64, string, []any and
// map[string]any (never Object inside).
type Object map[string]any

// Kind of the document.
func (o Object) Kind() string { return stringAt(o, "kind") }

// APIVersion of the document.
func (o Object) APIVersion() string { return stringAt(o, "apiVersion") }

// SetType sets kind and apiVersion.
func (o Object) SetType(t TypeMeta) {
	o["kind"], o["apiVersion"] = t.Kind, t.APIVersion
}

// GroupVersionKind reads kind and apiVersion; a malformed apiVersion counts as a version without group.
func (o Object) GroupVersionKind() GroupVersionKind {
	gv, err := ParseGroupVersion(o.APIVersion())
	if err != nil {
		gv = GroupVersion{Version: o.APIVersion()}
	}
	return GroupVersionKind{gv.Group, gv.Version, o.Kind()}
}

// Metadata is the metadata map itself, nil if there is none. Changes to it change the object.
func (o Object) Metadata() map[string]any {
	m, _ := o["metadata"].(map[string]any)
	return m
}

// EnsureMetadata is Metadata, made and attached first if it is missing.
func (o Object) EnsureMetadata() map[string]any {
	m := o.Metadata()
	if m == nil {
		m = map[string]any{}
		o["metadata"] = m
	}
	return m
}

// Field walks maps by name and says whether all of the path is there.
func (o Object) Field(path ...string) (any, bool) {
	var value any = map[string]any(o)
	for _, name := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = m[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

// Name of the object.
func (o Object) Name() string { return stringAt(o.Metadata(), "name") }

// SetName sets the name.
func (o Object) SetName(s string) { o.setString("name", s) }

// GenerateName is the prefix from which the store makes a name.
func (o Object) GenerateName() string { return stringAt(o.Metadata(), "generateName") }

// Namespace of the object; empty for cluster-scoped ones.
func (o Object) Namespace() string { return stringAt(o.Metadata(), "namespace") }

// SetNamespace sets the namespace.
func (o Object) SetNamespace(s string) { o.setString("namespace", s) }

// UID of the object.
func (o Object) UID() string { return stringAt(o.Metadata(), "uid") }

// SetUID sets the uid.
func (o Object) SetUID(s string) { o.setString("uid", s) }

// ResourceVersion as clients see it.
func (o Object) ResourceVersion() string { return stringAt(o.Metadata(), "resourceVersion") }

// SetResourceVersion sets the resource version; "" removes it.
func (o Object) SetResourceVersion(s string) { o.setString("resourceVersion", s) }

// Generation counts the changes of what is wanted.
func (o Object) Generation() int64 {
	n, _ := o.Metadata()["generation"].(int64)
	return n
}

// SetGeneration sets the generation; 0 removes it.
func (o Object) SetGeneration(n int64) {
	if n == 0 {
		delete(o.Metadata(), "generation")
		return
	}
	o.EnsureMetadata()["generation"] = n
}

// CreationTimestamp is zero if missing or malformed.
func (o Object) CreationTimestamp() time.Time { return timeAt(o.Metadata(), "creationTimestamp") }

// SetCreationTimestamp sets the time, to the second; the zero time removes it.
func (o Object) SetCreationTimestamp(t time.Time) { o.setTime("creationTimestamp", t) }

// DeletionTimestamp is zero unless the object is being deleted.
func (o Object) DeletionTimestamp() time.Time { return timeAt(o.Metadata(), "deletionTimestamp") }

// SetDeletionTimestamp sets the time, to the second; the zero time removes it.
func (o Object) SetDeletionTimestamp(t time.Time) { o.setTime("deletionTimestamp", t) }

// DeletionGracePeriodSeconds and whether it is set.
func (o Object) DeletionGracePeriodSeconds() (int64, bool) {
	n, ok := o.Metadata()["deletionGracePeriodSeconds"].(int64)
	return n, ok
}

// SetDeletionGracePeriodSeconds sets the grace period.
func (o Object) SetDeletionGracePeriodSeconds(n int64) {
	o.EnsureMetadata()["deletionGracePeriodSeconds"] = n
}

// Labels are a copy; nil if there are none.
func (o Object) Labels() map[string]string { return stringMapAt(o.Metadata(), "labels") }

// SetLabels replaces all labels.
func (o Object) SetLabels(m map[string]string) { o.setStringMap("labels", m) }

// Annotations are a copy; nil if there are none.
func (o Object) Annotations() map[string]string { return stringMapAt(o.Metadata(), "annotations") }

// SetAnnotations replaces all annotations.
func (o Object) SetAnnotations(m map[string]string) { o.setStringMap("annotations", m) }

// Finalizers are a copy; nil if there are none.
func (o Object) Finalizers() []string {
	list, _ := o.Metadata()["finalizers"].([]any)
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// SetFinalizers replaces all finalizers; none removes the field.
func (o Object) SetFinalizers(names []string) {
	if len(names) == 0 {
		delete(o.Metadata(), "finalizers")
		return
	}
	list := make([]any, len(names))
	for i, s := range names {
		list[i] = s
	}
	o.EnsureMetadata()["finalizers"] = list
}

// OwnerReferences are a copy; entries that are no maps are left out.
func (o Object) OwnerReferences() []OwnerReference {
	list, _ := o.Metadata()["ownerReferences"].([]any)
	var out []OwnerReference
	for _, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		out = append(out, OwnerReference{
			APIVersion:         stringAt(m, "apiVersion"),
			Kind:               stringAt(m, "kind"),
			Name:               stringAt(m, "name"),
			UID:                stringAt(m, "uid"),
			Controller:         boolAt(m, "controller"),
			BlockOwnerDeletion: boolAt(m, "blockOwnerDeletion"),
		})
	}
	return out
}

// SetOwnerReferences replaces all owner references; none removes the field.
func (o Object) SetOwnerReferences(refs []OwnerReference) {
	if len(refs) == 0 {
		delete(o.Metadata(), "ownerReferences")
		return
	}
	list := make([]any, len(refs))
	for i, ref := range refs {
		m := map[string]any{"apiVersion": ref.APIVersion, "kind": ref.Kind, "name": ref.Name, "uid": ref.UID}
		if ref.Controller != nil {
			m["controller"] = *ref.Controller
		}
		if ref.BlockOwnerDeletion != nil {
			m["blockOwnerDeletion"] = *ref.BlockOwnerDeletion
		}
		list[i] = m
	}
	o.EnsureMetadata()["ownerReferences"] = list
}

// DeepCopy shares nothing with the original.
func (o Object) DeepCopy() Object {
	if o == nil {
		return nil
	}
	return Object(copyValue(map[string]any(o)).(map[string]any))
}

func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = copyValue(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = copyValue(e)
		}
		return list
	}
	return v
}

// Equal compares the documents by value. An int64 never equals a float64.
func (o Object) Equal(other Object) bool {
	return equalMaps(o, other)
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for name, v := range a {
		w, ok := b[name]
		if !ok || !EqualValues(v, w) {
			return false
		}
	}
	return true
}

// EqualValues compares two values of documents, as [Object.Equal] does.
func EqualValues(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalMaps(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && (a == nil) == (b == nil) && slices.EqualFunc(a, b, EqualValues)
	case nil, bool, int64, float64, string:
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// String gives "Kind namespace/name" for messages.
func (o Object) String() string {
	if ns := o.Namespace(); ns != "" {
		return fmt.Sprintf("%s %s/%s", o.Kind(), ns, o.Name())
	}
	return fmt.Sprintf("%s %s", o.Kind(), o.Name())
}

func (o Object) setString(name, s string) {
	if s == "" {
		delete(o.Metadata(), name)
		return
	}
	o.EnsureMetadata()[name] = s
}

func (o Object) setTime(name string, t time.Time) {
	if t.IsZero() {
		delete(o.Metadata(), name)
		return
	}
	o.EnsureMetadata()[name] = t.UTC().Format(timeLayout)
}

func (o Object) setStringMap(name string, m map[string]string) {
	if len(m) == 0 {
		delete(o.Metadata(), name)
		return
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	o.EnsureMetadata()[name] = out
}

func stringAt(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

func boolAt(m map[string]any, name string) *bool {
	if b, ok := m[name].(bool); ok {
		return &b
	}
	return nil
}

func timeAt(m map[string]any, name string) time.Time {
	t, err := time.Parse(timeLayout, stringAt(m, name))
	if err != nil {
		return time.Time{}
	}
	return t
}

func stringMapAt(m map[string]any, name string) map[string]string {
	values, _ := m[name].(map[string]any)
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for k := range values {
		out[k] = stringAt(values, k)
	}
	return out
}
