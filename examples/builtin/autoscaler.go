package builtin

import autoscalingv2 "k8s.io/api/autoscaling/v2"

// autoscalerPresets are those of HorizontalPodAutoscalers.
func autoscalerPresets() *presets {
	return at("spec", &presets{
		also:   completeAutoscaler,
		values: []preset{{"minReplicas", int64(1)}},
	})
}

func completeAutoscaler(spec map[string]any) {
	if len(list(spec, "metrics")) == 0 {
		spec["metrics"] = []any{defaultMetric()}
	}
	behavior := mapping(spec, "behavior")
	if behavior == nil {
		return
	}
	up, down := ensure(behavior, "scaleUp"), ensure(behavior, "scaleDown")
	setDefault(up, "stabilizationWindowSeconds", int64(0))
	for _, rules := range [...]map[string]any{up, down} {
		setDefault(rules, "selectPolicy", string(autoscalingv2.MaxChangePolicySelect))
	}
	if up["policies"] == nil {
		up["policies"] = []any{scalingPolicy(autoscalingv2.PodsScalingPolicy, 4), scalingPolicy(autoscalingv2.PercentScalingPolicy, 100)}
	}
	if down["policies"] == nil {
		down["policies"] = []any{scalingPolicy(autoscalingv2.PercentScalingPolicy, 100)}
	}
}

// scalingPolicy lets so much change within a quarter of a minute.
func scalingPolicy(kind autoscalingv2.HPAScalingPolicyType, value int64) map[string]any {
	return map[string]any{"type": string(kind), "value": value, "periodSeconds": int64(15)}
}

// defaultMetric aims at the use of four fifths of the CPU.
func defaultMetric() map[string]any {
	return map[string]any{
		"type": string(autoscalingv2.ResourceMetricSourceType),
		"resource": map[string]any{
			"name": "cpu",
			"target": map[string]any{
				"type":               string(autoscalingv2.UtilizationMetricType),
				"averageUtilization": int64(80),
			},
		},
	}
}
