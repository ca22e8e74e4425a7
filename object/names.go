package object

import (
	"fmt"
	"strconv"
	"strings"
)

// GroupVersion names one version of an API group. The core group is "".
type GroupVersion struct{ Group, Version string }

// String gives the form of the apiVersion field: "v1", "apps/v1".
func (gv GroupVersion) String() string {
	if gv.Group == "" {
		return gv.Version
	}
	return gv.Group + "/" + gv.Version
}

// ParseGroupVersion reads an apiVersion. The empty string is the zero value;
// more than one slash is an error in the API's words.
func ParseGroupVersion(s string) (GroupVersion, error) {
	group, version, found := strings.Cut(s, "/")
	switch {
	case !found:
		return GroupVersion{Version: s}, nil
	case strings.Contains(version, "/"):
		return GroupVersion{}, fmt.Errorf("unexpected GroupVersion string: %s", s)
	}
	return GroupVersion{Group: group, Version: version}, nil
}

// GroupKind names a kind in whatever version.
type GroupKind struct{ Group, Kind string }

// String gives "Kind" for the core group and "Kind.group" for others.
func (gk GroupKind) String() string { return dotted(gk.Kind, gk.Group) }

// GroupVersionKind names the schema of a document.
type GroupVersionKind struct{ Group, Version, Kind string }

// GroupKind drops the version.
func (gvk GroupVersionKind) GroupKind() GroupKind { return GroupKind{gvk.Group, gvk.Kind} }

// GroupVersion drops the kind.
func (gvk GroupVersionKind) GroupVersion() GroupVersion { return GroupVersion{gvk.Group, gvk.Version} }

// TypeMeta gives the two fields that a document carries for it.
func (gvk GroupVersionKind) TypeMeta() TypeMeta {
	return TypeMeta{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String()}
}

// String gives the API's form for messages: "apps/v1, Kind=Deployment".
func (gvk GroupVersionKind) String() string {
	return gvk.Group + "/" + gvk.Version + ", Kind=" + gvk.Kind
}

// GroupResource names a collection (the plural, in lower case) in whatever version.
type GroupResource struct{ Group, Resource string }

// String gives "configmaps" for the core group and "leases.coordination.k8s.io" for others.
func (gr GroupResource) String() string { return dotted(gr.Resource, gr.Group) }

// GroupVersionResource names a collection as a path does.
type GroupVersionResource struct{ Group, Version, Resource string }

// GroupResource drops the version.
func (gvr GroupVersionResource) GroupResource() GroupResource {
	return GroupResource{gvr.Group, gvr.Resource}
}

// GroupVersion drops the resource.
func (gvr GroupVersionResource) GroupVersion() GroupVersion {
	return GroupVersion{gvr.Group, gvr.Version}
}

func dotted(name, group string) string {
	if group == "" {
		return name
	}
	return name + "." + group
}

// Key names one object of a store. Namespace is empty for cluster-scoped
// objects; an empty Name stands for the whole collection (of a namespace, or of
// all when that is empty too).
type Key struct {
	GroupResource
	Namespace, Name string
}

// String gives "configmaps default/a" for messages.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.GroupResource.String() + " " + k.Name
	}
	return k.GroupResource.String() + " " + k.Namespace + "/" + k.Name
}

// ResourceVersion counts the committed writes of a store. Zero stands for "none given".
type ResourceVersion uint64

// String gives the decimal form, which is what clients see; "" for zero.
func (v ResourceVersion) String() string {
	if v == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(v), 10)
}

// ParseResourceVersion reads a decimal resource version. The empty string and
// "0" both give zero; whether they mean the same is for the caller to say. The
// error is worded as the API words it.
func ParseResourceVersion(s string) (ResourceVersion, error) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, &FieldError{Type: FieldValueInvalid, Field: "resourceVersion", Value: s, Detail: err.Error()}
	}
	return ResourceVersion(v), nil
}
