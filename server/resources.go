package server

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// resourceSet is what a server serves at one moment. It never changes: adding and
// removing make a new set, which the server puts in its place. The zero value is empty.
type resourceSet struct {
	resources    []*Resource // in the order of their registration
	groups       []*groupSet // the core group first, then in that order
	byPath       map[object.GroupVersionResource]*served
	byCollection map[object.GroupResource]*served // one each
	byKind       map[object.GroupVersionKind]*served
	byView       map[object.GroupVersionKind]*served // of subresources that show another kind
	goKinds      map[object.GroupVersionKind]bool    // those with Go types, and those of their lists

	namespaces *served // nil if they are no objects here
}

// groupSet is one API group of a set.
type groupSet struct {
	name     string
	versions []*versionSet // the preferred one first
	custom   bool          // no kind in it has a Go type
	defined  bool          // definitions bring kinds into it
}

// versionSet is one version of a group.
type versionSet struct {
	object.GroupVersion
	resources []*served
}

// served is one resource in one version, with what every request needs of it.
type served struct {
	*Resource
	version *Version

	gvr      object.GroupVersionResource
	gvk      object.GroupVersionKind
	typeMeta object.TypeMeta // of an object
	listMeta object.TypeMeta // of a list
	columns  []Column        // of a Table, all of them
	owners   bool            // columns see managedFields
	stored   bool            // documents have the stored form but for the apiVersion
	offer    offer           // of an endpoint that answers with an object
	typeName string          // as messages about Go types name it: "*core.ConfigMap"

	// Those of the version, or else of the resource.
	Rules
	Subresources []Subresource
	Fields       map[string]func(object.Object) string
	views        map[string]*served // of subresources that show another kind

	life *life // of the version, from its first day to its last

	collection object.GroupResource                  // where the objects are kept
	indexed    map[string]func(object.Object) string // Fields of all resources with that collection
	forms      forms                                 // of the collection
	peers      []*served                             // that show the collection, itself among them
	merger     *apply.Merger                         // of documents in this version
	scale      apply.Scale                           // of a view: whose owners are kept in the object
	pieces     pieces                                // of lists
}

// newResourceSet checks the resources and builds a set of them.
func newResourceSet(resources ...Resource) (*resourceSet, error) {
	return (&resourceSet{}).with(resources...)
}

// with gives a set with more resources.
func (s *resourceSet) with(more ...Resource) (*resourceSet, error) {
	all := slices.Clone(s.resources)
	for _, r := range more {
		if r.Singular == "" {
			r.Singular = strings.ToLower(r.Kind)
		}
		if r.ListKind == "" {
			r.ListKind = r.Kind + "List"
		}
		if r.Collection == (object.GroupResource{}) {
			r.Collection = object.GroupResource{Group: r.Group, Resource: r.Plural}
		}
		r.Versions, r.Unserved = prepared(r.Versions), prepared(r.Unserved)
		if r.ValidateName == nil {
			r.ValidateName = object.ValidateSubdomainName
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("resource %s: %w", object.GroupResource{Group: r.Group, Resource: r.Plural}, err)
		}
		if err := clash(all, &r); err != nil {
			return nil, err
		}
		all = append(all, &r)
	}
	slices.SortStableFunc(all, ownBeforeDefined)
	return buildResourceSet(all), nil
}

// prepared gives a copy of versions with what is made of them at first use.
func prepared(versions []Version) []Version {
	versions = slices.Clone(versions)
	for i := range versions {
		v := &versions[i]
		if v.mergeType == nil {
			v.mergeType = sync.OnceValue(func() *apply.Type { return apply.NewType(v.schema()) })
		}
	}
	return versions
}

// ownBeforeDefined puts the resources of a program in front, in the order in which it
// named them, and behind them those that definitions make, by their names.
func ownBeforeDefined(a, b *Resource) int {
	switch {
	case !a.isDefined() && !b.isDefined():
		return 0
	case !a.isDefined():
		return -1
	case !b.isDefined():
		return 1
	}
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Plural, b.Plural))
}

// isDefined says whether a schema says what the documents are.
func (r *Resource) isDefined() bool { return r.Versions[0].Documents != nil }

// without gives a set that lacks a resource, in all of its versions.
func (s *resourceSet) without(gr object.GroupResource) *resourceSet {
	rest := slices.DeleteFunc(slices.Clone(s.resources), func(r *Resource) bool {
		return r.Group == gr.Group && r.Plural == gr.Resource
	})
	return buildResourceSet(rest)
}

// find looks up what a path names.
func (s *resourceSet) find(gvr object.GroupVersionResource) (*served, bool) {
	found, ok := s.byPath[gvr]
	return found, ok
}

// hasGoKind says whether a kind that has a Go type, or the list of one, is served in that
// version.
func (s *resourceSet) hasGoKind(gvk object.GroupVersionKind) bool { return s.goKinds[gvk] }

// ofKind gives the resource of a kind.
func (s *resourceSet) ofKind(gvk object.GroupVersionKind) (*served, bool) {
	found, ok := s.byKind[gvk]
	return found, ok
}

// ofCollection gives a resource that shows a collection.
func (s *resourceSet) ofCollection(collection object.GroupResource) (*served, bool) {
	found, ok := s.byCollection[collection]
	return found, ok
}

func (s *resourceSet) group(name string) (*groupSet, bool) {
	i := slices.IndexFunc(s.groups, func(g *groupSet) bool { return g.name == name })
	if i < 0 {
		return nil, false
	}
	return s.groups[i], true
}

func (g *groupSet) version(name string) (*versionSet, bool) {
	i := slices.IndexFunc(g.versions, func(v *versionSet) bool { return v.Version == name })
	if i < 0 {
		return nil, false
	}
	return g.versions[i], true
}

// subresource looks a second endpoint up.
func (s *served) subresource(name string) (*Subresource, bool) {
	for i := range s.Subresources {
		if s.Subresources[i].Name == name {
			return &s.Subresources[i], true
		}
	}
	return nil, false
}

func buildResourceSet(resources []*Resource) *resourceSet {
	s := &resourceSet{
		resources:    resources,
		byPath:       map[object.GroupVersionResource]*served{},
		byKind:       map[object.GroupVersionKind]*served{},
		byView:       map[object.GroupVersionKind]*served{},
		goKinds:      map[object.GroupVersionKind]bool{},
		byCollection: map[object.GroupResource]*served{},
	}
	forms := map[object.GroupResource]forms{}
	peers := map[object.GroupResource][]*served{}
	for _, r := range resources {
		fields := fieldsOf(resources, r.Collection)
		g := s.ensureGroup(r.Group)
		g.custom = g.custom && r.isCustom()
		g.defined = g.defined || r.isDefined()
		for i := range r.Versions {
			entry := newServed(r, &r.Versions[i])
			entry.indexed = fields
			forms[r.Collection] = forms[r.Collection].with(entry)
			peers[r.Collection] = append(peers[r.Collection], entry)
			v := g.ensureVersion(r.Versions[i].Name)
			v.resources = append(v.resources, entry)
			s.byPath[entry.gvr] = entry
			s.byKind[entry.gvk] = entry
			for _, view := range entry.views {
				s.byView[view.gvk] = view
			}
			if first := s.byCollection[entry.collection]; first == nil || entry.stored && !first.stored {
				s.byCollection[entry.collection] = entry
			}
			if !r.isDefined() {
				s.goKinds[entry.gvk] = true
				s.goKinds[object.GroupVersionKind{Group: r.Group, Version: entry.gvr.Version, Kind: r.ListKind}] = true
			}
		}
		for i := range r.Unserved {
			forms[r.Collection] = forms[r.Collection].with(newServed(r, &r.Unserved[i]))
		}
	}
	for _, entry := range s.byPath {
		entry.peers = peers[entry.collection]
		forms[entry.collection].setMergers(entry)
	}
	s.namespaces = s.byPath[object.GroupVersionResource{Version: "v1", Resource: "namespaces"}]
	for _, g := range s.groups {
		if g.defined { // each definition prefers versions of its own
			slices.SortStableFunc(g.versions, func(a, b *versionSet) int { return definition.CompareVersions(b.Version, a.Version) })
		}
	}
	return s
}

// fieldsOf joins the selectable fields of all resources that show a collection, in all
// versions: whichever of them writes an object, all of them can select it. Versions with
// Documents index what they store by themselves.
func fieldsOf(resources []*Resource, collection object.GroupResource) map[string]func(object.Object) string {
	fields := map[string]func(object.Object) string{}
	for _, r := range resources {
		if r.Collection != collection {
			continue
		}
		maps.Copy(fields, r.Fields)
		for i := range r.Versions {
			if v := &r.Versions[i]; v.Documents == nil {
				maps.Copy(fields, v.Fields)
			}
		}
	}
	return fields
}

func (s *resourceSet) ensureGroup(name string) *groupSet {
	if g, ok := s.group(name); ok {
		return g
	}
	g := &groupSet{name: name, custom: true}
	if name == "" {
		s.groups = slices.Insert(s.groups, 0, g)
	} else {
		s.groups = append(s.groups, g)
	}
	return g
}

func (g *groupSet) ensureVersion(name string) *versionSet {
	if v, ok := g.version(name); ok {
		return v
	}
	v := &versionSet{GroupVersion: object.GroupVersion{Group: g.name, Version: name}}
	g.versions = append(g.versions, v)
	return v
}

func newServed(r *Resource, v *Version) *served {
	gv := object.GroupVersion{Group: r.Group, Version: v.Name}
	s := &served{
		Resource:   r,
		version:    v,
		gvr:        object.GroupVersionResource{Group: r.Group, Version: v.Name, Resource: r.Plural},
		gvk:        object.GroupVersionKind{Group: r.Group, Version: v.Name, Kind: r.Kind},
		typeMeta:   object.TypeMeta{Kind: r.Kind, APIVersion: gv.String()},
		listMeta:   object.TypeMeta{Kind: r.ListKind, APIVersion: gv.String()},
		columns:    tableColumns(v.Columns),
		owners:     slices.ContainsFunc(v.Columns, func(c Column) bool { return c.SeesOwners }),
		stored:     v.FromStored == nil && v.ToStored == nil,
		typeName:   "*unstructured.Unstructured",
		collection: r.Collection,

		Rules:        r.Rules,
		Subresources: r.Subresources,
		Fields:       r.Fields,
	}
	if v.Codec != nil {
		s.typeName = "*" + internalPackage(r.Group) + "." + r.Kind
	}
	if v.Codec != nil && !v.JSONOnly {
		s.offer = offerProtobuf
	}
	if v.Rules != nil {
		s.Rules = *v.Rules
	}
	if v.Subresources != nil {
		s.Subresources = v.Subresources
	}
	if v.Fields != nil {
		s.Fields = v.Fields
	}
	s.addViews()
	return s
}

// addViews makes what the subresources need that show documents of another kind.
func (s *served) addViews() {
	for _, sub := range s.Subresources {
		if sub.View == nil {
			continue
		}
		kind, offered := sub.View.Kind, offerProtobuf
		if s.version.Documents != nil {
			offered = 0 // what a definition made is without, whatever it shows
		}
		if s.views == nil {
			s.views = map[string]*served{}
		}
		s.views[sub.Name] = &served{
			Resource: s.Resource,
			version:  &prepared([]Version{{Name: kind.Version, Codec: sub.View.Codec, Columns: sub.View.Columns}})[0],
			gvr:      s.gvr,
			gvk:      kind,
			typeMeta: object.TypeMeta{Kind: kind.Kind, APIVersion: kind.GroupVersion().String()},
			columns:  tableColumns(sub.View.Columns),
			stored:   true,
			offer:    offered,
			typeName: "*" + internalPackage(kind.Group) + "." + kind.Kind,
		}
	}
}

// isCustom says whether the documents are free of Go types, in all versions.
func (r *Resource) isCustom() bool {
	return !slices.ContainsFunc(r.Versions, func(v Version) bool { return v.Codec != nil })
}
