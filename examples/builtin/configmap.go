package builtin

import (
	"encoding/base64"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// maxData is how many bytes the values of a ConfigMap or a Secret may have in all.
const maxData = 1 << 20

// ConfigMaps describes v1 ConfigMaps.
func ConfigMaps() server.Resource {
	return server.Resource{
		Plural: "configmaps", Kind: "ConfigMap", ShortNames: []string{"cm"}, Namespaced: true,
		Versions: []server.Version{{
			Name:  "v1",
			Codec: Codec[corev1.ConfigMap](),
			Columns: []server.Column{
				{
					Name: "Data", Type: "string", Description: "How many values it holds, texts and binary ones.",
					Value: func(o object.Object) any { return int64(len(mapping(o, "data")) + len(mapping(o, "binaryData"))) },
				},
				age(),
			},
		}},
		Rules: server.Rules{Prepare: prepareConfigMap, Validate: named(validateConfigMap)},
	}
}

func prepareConfigMap(next, _ object.Object) { emptyNulls(mapping(next, "binaryData")) }

// emptyNulls makes a null among binary values what storing it makes of it.
func emptyNulls(data map[string]any) {
	for key, value := range data {
		if value == nil {
			data[key] = ""
		}
	}
}

func validateConfigMap(next, old object.Object) object.FieldErrors {
	var errs object.FieldErrors
	if old != nil {
		errs = checkImmutable(next, old, "data", "binaryData")
	}
	data, binary := mapping(next, "data"), mapping(next, "binaryData")
	size := 0
	for _, key := range slices.Sorted(maps.Keys(data)) {
		errs = append(errs, checkDataKey("data", key)...)
		if _, ok := binary[key]; ok {
			errs = append(errs, object.InvalidField(keyed("data", key), key, "duplicate of key present in binaryData"))
		}
		s, _ := data[key].(string)
		size += len(s)
	}
	for _, key := range slices.Sorted(maps.Keys(binary)) {
		errs = append(errs, checkDataKey("binaryData", key)...)
		size += decodedSize(binary[key])
	}
	if size > maxData {
		errs = append(errs, object.TooLongField("[]", maxData))
	}
	return errs
}

// checkImmutable reports changes of an object whose field immutable is set.
func checkImmutable(next, old object.Object, fields ...string) object.FieldErrors {
	if old["immutable"] != true {
		return nil
	}
	const detail = "field is immutable when `immutable` is set"
	var errs object.FieldErrors
	if next["immutable"] != true {
		errs = append(errs, object.ForbiddenField("immutable", detail))
	}
	for _, name := range fields {
		if !object.EqualValues(mapping(next, name), mapping(old, name)) {
			errs = append(errs, object.ForbiddenField(name, detail))
		}
	}
	return errs
}

func checkDataKey(field, key string) object.FieldErrors {
	var errs object.FieldErrors
	for _, detail := range validation.IsConfigMapKey(key) {
		errs = append(errs, object.InvalidField(keyed(field, key), key, detail))
	}
	return errs
}

// keyed is the path of a member of a map.
func keyed(field, key string) string { return field + "[" + key + "]" }

// decodedSize is the number of bytes that a value in base64 stands for.
func decodedSize(value any) int {
	s, _ := value.(string)
	size := base64.StdEncoding.DecodedLen(len(s))
	for range 2 {
		if n := len(s); n > 0 && s[n-1] == '=' {
			s = s[:n-1]
			size--
		}
	}
	return size
}
