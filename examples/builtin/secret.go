package builtin

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Secrets describes v1 Secrets.
func Secrets() server.Resource {
	return server.Resource{
		Plural: "secrets", Kind: "Secret", Namespaced: true,
		Versions: []server.Version{{
			Name:  "v1",
			Codec: Codec[corev1.Secret](), Default: defaultSecret,
			Columns: []server.Column{
				{
					Name: "Type", Type: "string", Description: "What the values are for.",
					Value: func(o object.Object) any { return text(o, "type") },
				},
				{
					Name: "Data", Type: "string", Description: "How many values it holds.",
					Value: func(o object.Object) any { return int64(len(mapping(o, "data"))) },
				},
				age(),
			},
		}},
		Fields: map[string]func(object.Object) string{"type": textField("type")},
		Rules:  server.Rules{Prepare: prepareSecret, Validate: named(validateSecret), Warn: warnOfSecret},
	}
}

// prepareSecret is for secrets of programs, which no type has read.
func prepareSecret(next, _ object.Object) { defaultSecret(next) }

// defaultSecret writes stringData, which is never read back, over data.
func defaultSecret(next object.Object) {
	if text(next, "type") == "" {
		next["type"] = string(corev1.SecretTypeOpaque)
	}
	emptyNulls(mapping(next, "data"))
	texts := mapping(next, "stringData")
	delete(next, "stringData")
	if len(texts) == 0 {
		return
	}
	data := make(map[string]any, len(texts)+len(mapping(next, "data")))
	maps.Copy(data, mapping(next, "data"))
	for key, value := range texts {
		s, _ := value.(string)
		data[key] = base64.StdEncoding.EncodeToString([]byte(s))
	}
	next["data"] = data
}

func validateSecret(next, old object.Object) object.FieldErrors {
	var errs object.FieldErrors
	if old != nil {
		errs = append(errs, unchanged(next, old, "type", "type")...)
		errs = append(errs, checkImmutable(next, old, "data")...)
	}
	data := mapping(next, "data")
	size := 0
	for _, key := range slices.Sorted(maps.Keys(data)) {
		errs = append(errs, checkDataKey("data", key)...)
		size += decodedSize(data[key])
	}
	if size > maxData {
		errs = append(errs, object.TooLongField("data", maxData))
	}
	return append(errs, checkSecretType(next, data)...)
}

// checkSecretType asks for what the known types of secrets must have.
func checkSecretType(o object.Object, data map[string]any) object.FieldErrors {
	switch corev1.SecretType(text(o, "type")) {
	case corev1.SecretTypeServiceAccountToken:
		if text(o, "metadata", "annotations", corev1.ServiceAccountNameKey) == "" {
			return required(keyed("metadata.annotations", corev1.ServiceAccountNameKey))
		}
	case corev1.SecretTypeDockercfg:
		return checkDockerConfig(data, corev1.DockerConfigKey)
	case corev1.SecretTypeDockerConfigJson:
		return checkDockerConfig(data, corev1.DockerConfigJsonKey)
	case corev1.SecretTypeBasicAuth:
		if !has(data, corev1.BasicAuthUsernameKey) && !has(data, corev1.BasicAuthPasswordKey) {
			return required(keyed("data", corev1.BasicAuthUsernameKey), keyed("data", corev1.BasicAuthPasswordKey))
		}
	case corev1.SecretTypeSSHAuth:
		if s, _ := data[corev1.SSHAuthPrivateKey].(string); s == "" {
			return required(keyed("data", corev1.SSHAuthPrivateKey))
		}
	case corev1.SecretTypeTLS:
		var errs object.FieldErrors
		for _, key := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey} {
			if !has(data, key) {
				errs = append(errs, required(keyed("data", key))...)
			}
		}
		return errs
	}
	return nil
}

// warnOfSecret says why the certificate of a secret is of no use.
func warnOfSecret(next, _ object.Object) []string {
	if text(next, "type") != string(corev1.SecretTypeTLS) {
		return nil
	}
	// What is no base64 was refused.
	certificate, _ := base64.StdEncoding.DecodeString(text(next, "data", corev1.TLSCertKey))
	key, _ := base64.StdEncoding.DecodeString(text(next, "data", corev1.TLSPrivateKeyKey))
	if _, err := tls.X509KeyPair(certificate, key); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func checkDockerConfig(data map[string]any, key string) object.FieldErrors {
	if !has(data, key) {
		return required(keyed("data", key))
	}
	s, _ := data[key].(string)
	content, err := base64.StdEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(content, &map[string]any{})
	}
	if err != nil {
		return object.FieldErrors{object.InvalidField(keyed("data", key), "<secret contents redacted>", err.Error())}
	}
	return nil
}

func required(fields ...string) object.FieldErrors {
	var errs object.FieldErrors
	for _, field := range fields {
		errs = append(errs, object.RequiredField(field, ""))
	}
	return errs
}
