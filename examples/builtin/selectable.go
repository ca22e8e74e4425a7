package builtin

import (
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The fields that selectors may name, as the texts that they are compared to.

// textFields gives those at paths with dots between the names.
func textFields(paths ...string) map[string]func(object.Object) string {
	fields := map[string]func(object.Object) string{}
	for _, path := range paths {
		fields[path] = textField(strings.Split(path, ".")...)
	}
	return fields
}

func numberField(path ...string) func(object.Object) string {
	return func(o object.Object) string { return strconv.FormatInt(number(o, path...), 10) }
}

func flagField(path ...string) func(object.Object) string {
	return func(o object.Object) string {
		v, _ := o.Field(path...)
		return strconv.FormatBool(v == true)
	}
}

func podFields() map[string]func(object.Object) string {
	fields := textFields("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
		"status.phase", "status.podIP", "status.nominatedNodeName")
	fields["spec.hostNetwork"] = flagField("spec", "hostNetwork")
	return fields
}
