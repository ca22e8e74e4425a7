package builtin

import (
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// jobPresets are those of Jobs.
func jobPresets() *presets {
	p := specPresets(&presets{
		also: completeJob,
		values: []preset{
			{"parallelism", int64(1)},
			{"backoffLimit", int64(6)},
			{"completionMode", string(batchv1.NonIndexedCompletion)},
			{"suspend", false},
			{"podReplacementPolicy", string(batchv1.TerminatingOrFailed)},
			{"manualSelector", false},
		},
		parts: []part{{"podFailurePolicy", failurePolicyPresets()}},
	})
	p.also = func(o map[string]any) { labelLike(o, mapping(o, "spec", "template", "metadata", "labels")) }
	return p
}

// completeJob sets what depends on what else is said.
func completeJob(spec map[string]any) {
	if spec["parallelism"] == nil {
		setDefault(spec, "completions", int64(1))
	}
	if spec["backoffLimitPerIndex"] != nil {
		setDefault(spec, "backoffLimit", int64(math.MaxInt32))
	}
	if spec["podFailurePolicy"] != nil {
		setDefault(spec, "podReplacementPolicy", string(batchv1.Failed))
	}
}

func failurePolicyPresets() *presets {
	return at("rules", at("onPodConditions", &presets{also: func(m map[string]any) {
		if text(m, "status") == "" { // which the type shows even when it is empty
			m["status"] = string(corev1.ConditionTrue)
		}
	}}))
}

// cronJobPresets are those of CronJobs. The jobs get their own when they are made.
func cronJobPresets() *presets {
	return at("spec", &presets{
		values: []preset{
			{"concurrencyPolicy", string(batchv1.AllowConcurrent)},
			{"suspend", false},
			{"successfulJobsHistoryLimit", int64(3)},
			{"failedJobsHistoryLimit", int64(1)},
		},
		parts: []part{{"jobTemplate", at("spec", &presets{parts: []part{
			{"podFailurePolicy", failurePolicyPresets()},
			{"template", at("spec", podSpecPresets())},
		}})}},
	})
}

// prepareJob gives a new job a selector of its own pods, which have its name and uid as
// labels.
func prepareJob(next, old object.Object) {
	spec := mapping(next, "spec")
	if old != nil || spec == nil || spec["manualSelector"] == true {
		return
	}
	metadata := ensure(ensure(spec, "template"), "metadata")
	labels := ensure(metadata, "labels")
	for _, name := range [...]string{"job-name", batchv1.JobNameLabel} {
		setDefault(labels, name, next.Name())
	}
	for _, name := range [...]string{"controller-uid", batchv1.ControllerUidLabel} {
		setDefault(labels, name, next.UID())
	}
	setDefault(ensure(ensure(spec, "selector"), "matchLabels"), batchv1.ControllerUidLabel, next.UID())
	labelLike(next, labels)
}
