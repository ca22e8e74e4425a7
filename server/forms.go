package server

import (
	"fmt"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// forms are the versions in which the objects of a collection are served, of all of the
// resources that show it, by apiVersion.
type forms map[string]*served

func (f forms) with(s *served) forms {
	if f == nil {
		f = forms{}
	}
	f[s.typeMeta.APIVersion] = s
	return f
}

// setMergers gives a version, and the views of its subresources, what merges documents.
func (f forms) setMergers(s *served) {
	s.forms, s.merger = f, f.merger(s)
	for name, view := range s.views {
		view.merger = forms{view.typeMeta.APIVersion: view}.merger(view)
		view.scale = apply.Scale{APIVersion: s.typeMeta.APIVersion, Replicas: func(apiVersion string) (path string, ok bool) {
			version, ok := f[apiVersion]
			if !ok {
				return "", false
			}
			if sub, ok := version.subresource(name); ok && sub.View != nil {
				path = sub.View.Replicas
			}
			return path, true
		}}
	}
}

// merger gives what merges documents in one of the versions.
func (f forms) merger(s *served) *apply.Merger {
	m := &apply.Merger{Kind: s.gvk, Type: f.mergeType}
	if s.version.Codec != nil {
		m.Empty = sync.OnceValue(s.empty)
	}
	if f.convertible() {
		m.Convert = f.convert
	}
	return m
}

// convertible says whether versions differ in more than the apiVersion.
func (f forms) convertible() bool {
	for _, s := range f {
		if !s.stored || s.version.Documents != nil && len(f) > 1 {
			return true
		}
	}
	return false
}

// empty is a document in which nothing is set.
func (s *served) empty() object.Object {
	o, _, err := s.version.Codec.DecodeJSON([]byte("{}"))
	if err != nil {
		o = object.Object{} // a type that cannot be empty
	}
	o.SetType(s.typeMeta)
	return o
}

func (f forms) mergeType(apiVersion string) *apply.Type {
	if s, ok := f[apiVersion]; ok {
		return s.version.mergeType()
	}
	return nil
}

// convert gives a copy of a document in another version.
func (f forms) convert(o object.Object, apiVersion string) (object.Object, error) {
	from, to := f[o.APIVersion()], f[apiVersion]
	if from == nil || to == nil {
		return nil, fmt.Errorf("%s is not served in both %q and %q", o, o.APIVersion(), apiVersion)
	}
	o, err := from.toStored(o.DeepCopy())
	if err != nil {
		return nil, err
	}
	if documents := from.version.Documents; documents != nil {
		return documents.Convert(o, to.version.Name)
	}
	o.SetType(to.typeMeta)
	if to.version.FromStored == nil {
		return o, nil
	}
	if o, err = to.version.FromStored(o); err != nil {
		return nil, err
	}
	o.SetType(to.typeMeta)
	return o, nil
}
