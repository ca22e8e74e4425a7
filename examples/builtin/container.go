package builtin

import (
	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
)

// containerPresets are those of containers of all sorts.
func containerPresets() *presets {
	probe, hook := probePresets(), at("httpGet", requestPresets())
	return &presets{
		also: func(m map[string]any) { completePullPolicy(m, "imagePullPolicy", "image") },
		values: []preset{
			{"terminationMessagePath", corev1.TerminationMessagePathDefault},
			{"terminationMessagePolicy", string(corev1.TerminationMessageReadFile)},
		},
		parts: []part{
			{"ports", valuesOf("protocol", string(corev1.ProtocolTCP))},
			{"env", at("valueFrom", &presets{parts: []part{
				{"fieldRef", fieldRefPresets()},
				{"fileKeyRef", valuesOf("optional", false)},
			}})},
			{"resources", resourcePresets()},
			{"livenessProbe", probe},
			{"readinessProbe", probe},
			{"startupProbe", probe},
			{"lifecycle", &presets{parts: []part{{"postStart", hook}, {"preStop", hook}}}},
		},
	}
}

func probePresets() *presets {
	return &presets{
		values: []preset{
			{"timeoutSeconds", int64(1)},
			{"periodSeconds", int64(10)},
			{"successThreshold", int64(1)},
			{"failureThreshold", int64(3)},
		},
		parts: []part{{"httpGet", requestPresets()}, {"grpc", valuesOf("service", "")}},
	}
}

func requestPresets() *presets {
	return valuesOf("path", "/", "scheme", string(corev1.URISchemeHTTP))
}

func fieldRefPresets() *presets { return valuesOf("apiVersion", "v1") }

// completePullPolicy says when an image is pulled: always, if it can be another one each
// time.
func completePullPolicy(m map[string]any, policy, image string) {
	if m[policy] != nil {
		return
	}
	m[policy] = string(corev1.PullIfNotPresent)
	if name, _ := m[image].(string); isLatest(name) {
		m[policy] = string(corev1.PullAlways)
	}
}

// isLatest says whether an image goes by the tag latest, which it does without a tag and
// a digest. A name that is none does not.
func isLatest(image string) bool {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return false
	}
	if tagged, ok := named.(reference.Tagged); ok {
		return tagged.Tag() == "latest"
	}
	return reference.IsNameOnly(named)
}
