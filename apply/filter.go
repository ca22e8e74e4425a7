package apply

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Filter says which fields a request to an endpoint can change. Others it neither
// owns nor takes from their owners, whatever its body says of them. The nil Filter
// is for endpoints that can change all.
type Filter struct {
	fields fieldpath.Filter
	except []string
}

// Except is the filter of an endpoint that changes all but the fields with the given
// paths, such as "status" or "metadata.labels", and what is below them.
func Except(paths ...string) *Filter {
	return &Filter{fieldpath.NewExcludeSetFilter(dotted(paths...)), paths}
}

// of gives the filter as the library wants it, for each version of a kind.
func (f *Filter) of(versions ...fieldpath.APIVersion) map[fieldpath.APIVersion]fieldpath.Filter {
	if f == nil {
		return nil
	}
	all := make(map[fieldpath.APIVersion]fieldpath.Filter, len(versions))
	for _, version := range versions {
		all[version] = f.fields
	}
	return all
}

// excludes says whether a filter leaves out a member of a document with all that is in it.
func (f *Filter) excludes(name string) bool { return f != nil && slices.Contains(f.except, name) }

// excepts says whether a filter may leave out a member of a document, or of its
// metadata, or something below.
func (f *Filter) excepts(name string) bool {
	return f != nil && slices.ContainsFunc(f.except, func(path string) bool {
		first, _, _ := strings.Cut(path, ".")
		return first == name
	})
}

// passes says whether a document has nothing, identity aside, that is filtered out. It may be wrong in
// saying no.
func (f *Filter) passes(o object.Object) bool {
	if f == nil {
		return true
	}
	for _, path := range f.except {
		if path == "metadata" && isIdentityOnly(o.Metadata()) {
			continue
		}
		if _, ok := o.Field(strings.Split(path, ".")...); ok {
			return false
		}
	}
	return true
}

func isIdentityOnly(metadata map[string]any) bool {
	for name := range metadata {
		if !isIdentity("metadata", name) {
			return false
		}
	}
	return true
}
