package definitions

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// install creates definitions and gives the verdict on each.
func (c *client) install(definitions []document) []verdict {
	c.Helper()
	var all []verdict
	for _, d := range definitions {
		a := c.do(http.MethodPost, definitionsPath+"?fieldValidation=Strict", d.object)
		v := verdict{name: d.name, said: refusal(a)}
		if a.code == http.StatusCreated {
			c.untilEstablished(object.Object(d.object).Name())
			v.said = "established" + warned(a)
		}
		all = append(all, v)
	}
	return all
}

// remove deletes what was installed, for servers that outlive the test.
func (c *client) remove(definitions []document) {
	for _, d := range definitions {
		path := definitionsPath + "/" + object.Object(d.object).Name()
		c.do(http.MethodDelete, path, nil)
		c.until(path, func(a *answer) bool { return a.code == http.StatusNotFound })
	}
}

func (c *client) untilEstablished(name string) {
	c.Helper()
	c.until(definitionsPath+"/"+name, func(a *answer) bool {
		return slices.ContainsFunc(list(a.body, "status", "conditions"), func(condition map[string]any) bool {
			return condition["type"] == "Established" && condition["status"] == "True"
		})
	})
}

// served is one version of a kind.
type served struct {
	object.GroupVersionKind
	plural     string
	namespaced bool
}

func (s *served) groupVersion() string { return s.Group + "/" + s.Version }

// path is that of the collection, in the namespace default.
func (s *served) path() string {
	namespace := ""
	if s.namespaced {
		namespace = "/namespaces/default"
	}
	return "/apis/" + s.groupVersion() + namespace + "/" + s.plural
}

// versions gives those that a definition serves.
func versions(definition map[string]any) []served {
	var all []served
	for _, v := range list(definition, "spec", "versions") {
		if v["served"] != true {
			continue
		}
		all = append(all, served{
			object.GroupVersionKind{
				Group: text(definition, "spec", "group"), Version: text(v, "name"), Kind: text(definition, "spec", "names", "kind"),
			},
			text(definition, "spec", "names", "plural"), text(definition, "spec", "scope") == "Namespaced",
		})
	}
	return all
}

// requireDiscovered looks for a version of a kind in discovery.
func (c *client) requireDiscovered(s *served) {
	c.Helper()
	c.atOnce("/apis/"+s.groupVersion(), func(a *answer) bool {
		return slices.ContainsFunc(list(a.body, "resources"), func(r map[string]any) bool {
			return r["name"] == s.plural && r["kind"] == s.Kind && r["namespaced"] == s.namespaced
		})
	})
}

// published gives a digest of the schema of a version in a document of OpenAPI. At
// schemas are those of the document, by name.
func (c *client) published(s *served, path string, schemas ...string) string {
	c.Helper()
	kind := s.String()
	if _, ok := c.openapi[path][kind]; !ok {
		c.atOnce(path, func(a *answer) bool {
			c.openapi[path] = byKind(a.body, schemas...)
			return c.openapi[path][kind] != nil
		})
	}
	schema := c.openapi[path][kind]
	dropTypeDescriptions(schema)
	return digest(c.T, schema)
}

// dropTypeDescriptions leaves out how apiVersion, kind and metadata are described:
// each server does it in its own words.
func dropTypeDescriptions(schema any) {
	switch schema := schema.(type) {
	case map[string]any:
		for name, v := range schema {
			if field, ok := v.(map[string]any); ok && (name == "apiVersion" || name == "kind" || name == "metadata") {
				delete(field, "description")
			}
			dropTypeDescriptions(v)
		}
	case []any:
		for _, v := range schema {
			dropTypeDescriptions(v)
		}
	}
}

// byKind gives the schemas of a document of OpenAPI that are those of a kind.
func byKind(document map[string]any, schemas ...string) map[string]any {
	kinds := map[string]any{}
	found, _ := object.Object(document).Field(schemas...)
	all, _ := found.(map[string]any)
	for _, v := range all {
		schema, _ := v.(map[string]any)
		for _, k := range list(schema, "x-kubernetes-group-version-kind") {
			kind := object.GroupVersionKind{Group: text(k, "group"), Version: text(k, "version"), Kind: text(k, "kind")}
			kinds[kind.String()] = schema
		}
	}
	return kinds
}

// send creates a sample as a dry run, in the namespace default, and gives the verdict.
func (c *client) send(sample document, s *served) verdict {
	c.Helper()
	o := object.Object(sample.object)
	delete(o.Metadata(), "namespace")
	a := c.do(http.MethodPost, s.path()+"?"+url.Values{"dryRun": {"All"}, "fieldValidation": {"Strict"}}.Encode(), sample.object)
	if a.code != http.StatusCreated {
		return verdict{sample.name, withoutSuffix(refusal(a), o.GenerateName())}
	}
	delete(a.body, "metadata") // it has a time and an identity of its own
	return verdict{sample.name, "accepted " + digest(c.T, a.body) + warned(a)}
}

// withoutSuffix puts stars for the five letters and digits that were added to a prefix.
func withoutSuffix(message, prefix string) string {
	if prefix == "" {
		return message
	}
	return regexp.MustCompile(regexp.QuoteMeta(prefix)+`[a-z0-9]{5}\b`).ReplaceAllLiteralString(message, prefix+"*****")
}

// refusal is what an answer says about why. Causes are sorted: kube-apiserver gives
// those of a schema in the order of a Go map.
func refusal(a *answer) string {
	why := a.message()
	if causes := list(a.body, "details", "causes"); len(causes) > 1 {
		why, _, _ = strings.Cut(why, ": [")
		lines := make([]string, len(causes))
		for i, cause := range causes {
			lines[i] = text(cause, "field") + ": " + text(cause, "message")
		}
		slices.Sort(lines)
		why += ": [" + strings.Join(lines, ", ") + "]"
	}
	return fmt.Sprintf("refused %d %s", a.code, strings.ReplaceAll(why, "\n", `\n`))
}

func warned(a *answer) string {
	if len(a.warnings) == 0 {
		return ""
	}
	return " with the warnings " + strings.Join(a.warnings, ", ")
}
