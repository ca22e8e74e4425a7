package server

import (
	"crypto/sha512"
	"fmt"
)

// The parts of an aggregated document, as the API names their fields.
type (
	groupDiscoveryList struct {
		Kind       string           `json:"kind"`
		APIVersion string           `json:"apiVersion"`
		Metadata   struct{}         `json:"metadata"`
		Items      []groupDiscovery `json:"items"`
	}
	groupDiscovery struct {
		Metadata groupName          `json:"metadata"`
		Versions []versionDiscovery `json:"versions,omitempty"`
	}
	groupName struct {
		Name string `json:"name,omitempty"`
	}
	versionDiscovery struct {
		Version   string              `json:"version"`
		Resources []resourceDiscovery `json:"resources,omitempty"`
		Freshness string              `json:"freshness"`
	}
	resourceDiscovery struct {
		Resource         string                 `json:"resource"`
		ResponseKind     responseKind           `json:"responseKind"`
		Scope            string                 `json:"scope"`
		SingularResource string                 `json:"singularResource"`
		Verbs            []string               `json:"verbs"`
		ShortNames       []string               `json:"shortNames,omitempty"`
		Categories       []string               `json:"categories,omitempty"`
		Subresources     []subresourceDiscovery `json:"subresources,omitempty"`
	}
	subresourceDiscovery struct {
		Subresource  string       `json:"subresource"`
		ResponseKind responseKind `json:"responseKind"`
		Verbs        []string     `json:"verbs"`
	}
	responseKind struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
)

func newAggregatedDocument(groups []*groupSet) aggregatedDocument {
	list := groupDiscoveryList{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2", Items: []groupDiscovery{}}
	for _, g := range groups {
		item := groupDiscovery{Metadata: groupName{g.name}}
		for _, v := range g.versions {
			item.Versions = append(item.Versions, v.discovery())
		}
		list.Items = append(list.Items, item)
	}
	data := mustJSON(list)
	return aggregatedDocument{json: data, etag: fmt.Sprintf(`"%X"`, sha512.Sum512(data))}
}

func (v *versionSet) discovery() versionDiscovery {
	doc := versionDiscovery{Version: v.Version, Freshness: "Current"}
	for _, s := range v.sorted() {
		r := resourceDiscovery{
			Resource:         s.Plural,
			ResponseKind:     s.responseKind(),
			Scope:            "Cluster",
			SingularResource: s.Singular,
			Verbs:            s.discoveredVerbs(),
			ShortNames:       s.ShortNames,
			Categories:       s.Categories,
		}
		if s.Namespaced {
			r.Scope = "Namespaced"
		}
		for _, sub := range s.discoveredSubresources() {
			kind := s.responseKind()
			if sub.View != nil {
				kind = responseKind{sub.View.Kind.Group, sub.View.Kind.Version, sub.View.Kind.Kind}
			}
			r.Subresources = append(r.Subresources, subresourceDiscovery{sub.Name, kind, sub.discoveredVerbs()})
		}
		doc.Resources = append(doc.Resources, r)
	}
	return doc
}

// responseKind names the kind of the objects. The kinds of Go types leave the
// group and version out that they are listed under.
func (s *served) responseKind() responseKind {
	if s.version.Codec != nil {
		return responseKind{Kind: s.Kind}
	}
	return responseKind{s.Group, s.gvk.Version, s.Kind}
}
