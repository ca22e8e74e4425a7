package limits

import (
	"maps"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// annotation says on a pod what it was given.
const annotation = "kubernetes.io/limit-ranger"

// setDefaults gives each container the requests and limits that it lacks, and says so in
// an annotation.
func setDefaults(pod, limitRange object.Object) error {
	requests, limits := amounts.Amounts{}, amounts.Amounts{}
	for _, item := range items(limitRange) {
		if item["type"] != "Container" {
			continue
		}
		for field, defaults := range map[string]amounts.Amounts{"defaultRequest": requests, "default": limits} {
			a, err := amounts.Read(item, field)
			if err != nil {
				return err
			}
			maps.Copy(defaults, a)
		}
	}
	var notes []string
	all, kinds := containers(pod)
	for i, c := range all {
		name, _ := c["name"].(string)
		for _, part := range []struct {
			name     string
			word     string
			defaults amounts.Amounts
		}{{"requests", "request", requests}, {"limits", "limit", limits}} {
			if set := complete(c, part.name, part.defaults); len(set) > 0 {
				notes = append(notes, strings.Join(set, ", ")+" "+part.word+" for "+kinds[i]+" "+name)
			}
		}
	}
	if len(notes) > 0 {
		annotations := pod.Annotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotation] = "LimitRanger plugin set: " + strings.Join(notes, "; ")
		pod.SetAnnotations(annotations)
	}
	return nil
}

// complete sets in place what a part of a container's resources lacks, and gives the names.
func complete(container object.Object, part string, defaults amounts.Amounts) (set []string) {
	for _, name := range defaults.Names() {
		own := ensure(ensure(container, "resources"), part)
		if _, ok := own[name]; !ok {
			own[name] = defaults[name].String()
			set = append(set, name)
		}
	}
	return set
}

// ensure gives a map of a document, made first if it is missing.
func ensure(o map[string]any, name string) map[string]any {
	m, _ := o[name].(map[string]any)
	if m == nil {
		m = map[string]any{}
		o[name] = m
	}
	return m
}
