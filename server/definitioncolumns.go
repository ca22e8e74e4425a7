package server

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// definitionColumns are those of Tables of definitions.
func definitionColumns() []Column {
	of := func(path ...string) func(object.Object) any {
		return func(o object.Object) any {
			value, _ := o.Field(path...)
			text, _ := value.(string)
			return text
		}
	}
	return []Column{
		{Name: "Scope", Type: "string", Description: "Whether its objects are in namespaces.", Value: of("spec", "scope")},
		{Name: "Versions", Type: "string", Description: "The versions that are served.", Value: servedVersions},
		{
			Name: "Created At", Type: "date", Verbatim: true, Description: "When the definition was created.",
			Value: func(o object.Object) any { return o.Metadata()["creationTimestamp"] },
		},
		{Name: "Group", Type: "string", Priority: 1, Description: "The group of its objects.", Value: of("spec", "group")},
		{Name: "Kind", Type: "string", Priority: 1, Description: "The kind of its objects.", Value: of("spec", "names", "kind")},
		{
			Name: "ShortNames", Type: "string", Priority: 1, Description: "Other names that clients take.",
			Value: func(o object.Object) any { return strings.Join(textsAt(o, "spec", "names", "shortNames"), ",") },
		},
		{
			Name: "Established", Type: "boolean", Priority: 1, Description: "Whether its objects can be had.",
			Value: func(o object.Object) any { return definition.IsTrue(o, "Established") },
		},
	}
}

// servedVersions names the versions of a definition, and which of them is stored.
func servedVersions(o object.Object) any {
	var names []string
	for _, v := range listAt(o, "spec", "versions") {
		version, _ := v.(map[string]any)
		name, _ := version["name"].(string)
		if version["storage"] == true {
			name += "(storage)"
		}
		if version["served"] == true {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

func listAt(o object.Object, path ...string) []any {
	value, _ := o.Field(path...)
	list, _ := value.([]any)
	return list
}

func textsAt(o object.Object, path ...string) (texts []string) {
	for _, v := range listAt(o, path...) {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
