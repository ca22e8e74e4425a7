package server

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The documents of plain discovery, as the API names their fields.
type (
	apiVersionsDocument struct {
		Kind       string          `json:"kind"`
		Versions   []string        `json:"versions"`
		ServerCIDR []serverAddress `json:"serverAddressByClientCIDRs"`
	}
	serverAddress struct {
		ClientCIDR    string `json:"clientCIDR"`
		ServerAddress string `json:"serverAddress"`
	}
	apiGroupList struct {
		Kind       string     `json:"kind"`
		APIVersion string     `json:"apiVersion"`
		Groups     []apiGroup `json:"groups"`
	}
	apiGroup struct {
		Kind             string            `json:"kind,omitempty"`
		APIVersion       string            `json:"apiVersion,omitempty"`
		Name             string            `json:"name"`
		Versions         []apiGroupVersion `json:"versions"`
		PreferredVersion apiGroupVersion   `json:"preferredVersion"`
	}
	apiGroupVersion struct {
		GroupVersion string `json:"groupVersion"`
		Version      string `json:"version"`
	}
	apiResourceList struct {
		Kind         string        `json:"kind"`
		APIVersion   string        `json:"apiVersion,omitempty"` // absent in the core group
		GroupVersion string        `json:"groupVersion"`
		Resources    []apiResource `json:"resources"`
	}
	apiResource struct {
		Name               string   `json:"name"`
		SingularName       string   `json:"singularName"`
		Namespaced         bool     `json:"namespaced"`
		Group              string   `json:"group,omitempty"` // where the kind is of another one
		Version            string   `json:"version,omitempty"`
		Kind               string   `json:"kind"`
		Verbs              []string `json:"verbs"`
		ShortNames         []string `json:"shortNames,omitempty"`
		Categories         []string `json:"categories,omitempty"`
		StorageVersionHash string   `json:"storageVersionHash,omitempty"`
	}
)

// plainDocuments makes the documents of all paths. That of /api depends on the
// request and is only a placeholder.
func plainDocuments(set *resourceSet) map[string][]byte {
	list := apiGroupList{Kind: "APIGroupList", APIVersion: "v1", Groups: []apiGroup{}}
	docs := map[string][]byte{"/api": nil}
	for _, g := range set.namedGroups() {
		doc := g.document()
		list.Groups = append(list.Groups, doc)
		doc.Kind, doc.APIVersion = "APIGroup", "v1"
		docs["/apis/"+g.name] = mustJSON(doc)
	}
	for _, v := range set.versions() {
		docs[v.path()] = mustJSON(v.document())
	}
	docs["/apis"] = mustJSON(list)
	return docs
}

// apiVersions is the document of /api for a client that reached the server at host.
func apiVersions(set *resourceSet, host string) []byte {
	doc := apiVersionsDocument{Kind: "APIVersions", Versions: []string{}, ServerCIDR: []serverAddress{{"0.0.0.0/0", host}}}
	for _, g := range set.coreGroups() {
		for _, v := range g.versions {
			doc.Versions = append(doc.Versions, v.Version)
		}
	}
	return mustJSON(doc)
}

func (g *groupSet) document() apiGroup {
	doc := apiGroup{Name: g.name}
	for _, v := range g.versions {
		doc.Versions = append(doc.Versions, apiGroupVersion{v.String(), v.Version})
	}
	doc.PreferredVersion = doc.Versions[0]
	return doc
}

func (v *versionSet) document() apiResourceList {
	list := apiResourceList{Kind: "APIResourceList", GroupVersion: v.String(), Resources: []apiResource{}}
	if v.Group != "" {
		list.APIVersion = "v1"
	}
	for _, s := range v.sorted() {
		list.Resources = append(list.Resources, apiResource{
			Name:               s.Plural,
			SingularName:       s.Singular,
			Namespaced:         s.Namespaced,
			Kind:               s.Kind,
			Verbs:              s.discoveredVerbs(),
			ShortNames:         s.ShortNames,
			Categories:         s.Categories,
			StorageVersionHash: s.storageVersionHash(),
		})
		for _, sub := range s.discoveredSubresources() {
			r := apiResource{Name: s.Plural + "/" + sub.Name, Namespaced: s.Namespaced, Kind: s.Kind, Verbs: sub.discoveredVerbs()}
			if sub.View != nil {
				r.Group, r.Version, r.Kind = sub.View.Kind.Group, sub.View.Kind.Version, sub.View.Kind.Kind
			}
			list.Resources = append(list.Resources, r)
		}
	}
	return list
}

// sorted gives the resources in the order of their names.
func (v *versionSet) sorted() []*served {
	return slices.SortedFunc(slices.Values(v.resources), func(a, b *served) int { return cmp.Compare(a.Plural, b.Plural) })
}

// discoveredVerbs are in the order in which the API lists them, which is another
// for kinds without a Go type.
func (s *served) discoveredVerbs() []string {
	order := []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	if s.version.Codec == nil {
		order = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	}
	return chosen(order, s.Verbs)
}

func (sub *Subresource) discoveredVerbs() []string {
	return chosen([]string{"get", "patch", "update"}, sub.Verbs)
}

// chosen gives the verbs that are wanted, all if none are named, in the order given.
func chosen(order, wanted []string) []string {
	if len(wanted) == 0 {
		return order
	}
	return slices.DeleteFunc(order, func(verb string) bool { return !slices.Contains(wanted, verb) })
}

func (s *served) discoveredSubresources() []*Subresource {
	subs := make([]*Subresource, len(s.Subresources))
	for i := range s.Subresources {
		subs[i] = &s.Subresources[i]
	}
	if s.version.Codec != nil {
		slices.SortFunc(subs, func(a, b *Subresource) int { return cmp.Compare(a.Name, b.Name) })
	}
	return subs
}

// storageVersionHash changes when objects are stored as another kind or version.
func (s *served) storageVersionHash() string {
	gvk := object.GroupVersionKind{Group: s.Group, Version: s.Versions[0].Name, Kind: s.Kind}
	sum := sha256.Sum256([]byte(gvk.Group + "/" + gvk.Version + "/" + gvk.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are our own
	}
	return data
}
