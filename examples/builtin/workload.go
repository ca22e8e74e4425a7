package builtin

import (
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// deploymentPresets are those of Deployments.
func deploymentPresets() *presets {
	return specPresets(&presets{
		also:   completeDeployment,
		values: []preset{{"replicas", int64(1)}, {"revisionHistoryLimit", int64(10)}, {"progressDeadlineSeconds", int64(600)}},
	})
}

func completeDeployment(spec map[string]any) {
	if rolling := rollingUpdate(spec, "strategy"); rolling != nil {
		setDefault(rolling, "maxUnavailable", "25%")
		setDefault(rolling, "maxSurge", "25%")
	}
}

// replicaSetPresets are those of ReplicaSets.
func replicaSetPresets() *presets { return specPresets(valuesOf("replicas", int64(1))) }

// daemonSetPresets are those of DaemonSets.
func daemonSetPresets() *presets {
	p := specPresets(&presets{
		also:   completeDaemonSet,
		values: []preset{{"revisionHistoryLimit", int64(10)}},
	})
	p.also = func(o map[string]any) {
		setDefault(ensure(object.Object(o).EnsureMetadata(), "annotations"), templateGeneration, "0")
	}
	return p
}

func completeDaemonSet(spec map[string]any) {
	if rolling := rollingUpdate(spec, "updateStrategy"); rolling != nil {
		setDefault(rolling, "maxUnavailable", int64(1))
		setDefault(rolling, "maxSurge", int64(0))
	}
}

// statefulSetPresets are those of StatefulSets.
func statefulSetPresets() *presets {
	return specPresets(&presets{
		also: completeStatefulSet,
		values: []preset{
			{"podManagementPolicy", string(appsv1.OrderedReadyPodManagement)},
			{"replicas", int64(1)},
			{"revisionHistoryLimit", int64(10)},
		},
		parts: []part{{"volumeClaimTemplates", templateOfClaimPresets()}},
	})
}

// completeStatefulSet differs from its likes in that a rolling update which says nothing
// of how stays as it is.
func completeStatefulSet(spec map[string]any) {
	if text(spec, "updateStrategy", "type") == "" {
		rollingUpdate(spec, "updateStrategy")
	}
	strategy := mapping(spec, "updateStrategy")
	if rolling := mapping(strategy, "rollingUpdate"); rolling != nil && strategy["type"] == rollingUpdateType {
		setDefault(rolling, "partition", int64(0))
		setDefault(rolling, "maxUnavailable", int64(1))
	}
	retention := ensure(spec, "persistentVolumeClaimRetentionPolicy")
	for _, name := range [...]string{"whenDeleted", "whenScaled"} {
		setDefault(retention, name, string(appsv1.RetainPersistentVolumeClaimRetentionPolicyType))
	}
}

// templateOfClaimPresets are those of claims that a StatefulSet makes. They say what they
// are.
func templateOfClaimPresets() *presets {
	p := claimPresets()
	p.values = []preset{{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}}
	return p
}

// rollingUpdateType is the strategy of all workloads that say nothing of it.
const rollingUpdateType = string(appsv1.RollingUpdateDeploymentStrategyType)

// rollingUpdate gives what the strategy says of rolling updates, if it is one of these.
func rollingUpdate(spec map[string]any, name string) map[string]any {
	strategy := ensure(spec, name)
	setDefault(strategy, "type", rollingUpdateType)
	if strategy["type"] != rollingUpdateType {
		return nil
	}
	return ensure(strategy, "rollingUpdate")
}

// specPresets are those of a kind whose spec holds a template of pods.
func specPresets(spec *presets) *presets {
	return &presets{parts: []part{{"spec", spec}, {"spec", templatePresets()}}}
}

// replicationControllerPresets are those of ReplicationControllers.
func replicationControllerPresets() *presets {
	p := replicaSetPresets()
	p.also = completeReplicationController
	return p
}

// completeReplicationController makes the labels of its pods its own, and what it selects.
func completeReplicationController(o map[string]any) {
	spec := mapping(o, "spec")
	labels := mapping(spec, "template", "metadata", "labels")
	if len(labels) == 0 {
		return
	}
	if len(mapping(spec, "selector")) == 0 {
		spec["selector"] = maps.Clone(labels)
	}
	labelLike(o, labels)
}

// labelLike gives a document the labels of another one, if it has none.
func labelLike(o object.Object, labels map[string]any) {
	if len(labels) > 0 && len(mapping(o, "metadata", "labels")) == 0 {
		o.EnsureMetadata()["labels"] = maps.Clone(labels)
	}
}

const templateGeneration = appsv1.DeprecatedTemplateGeneration

// prepareDaemonSet counts the changes of the template in an annotation, as in the days
// before there were revisions.
func prepareDaemonSet(next, old object.Object) {
	count := int64(1)
	if old == nil {
		count = max(count, templateGenerationOf(next))
	} else {
		count = templateGenerationOf(old)
		if !object.EqualValues(mapping(next, "spec", "template"), mapping(old, "spec", "template")) {
			count++
		}
	}
	ensure(next.EnsureMetadata(), "annotations")[templateGeneration] = strconv.FormatInt(count, 10)
}

// templateGenerationOf reads the count; 0, if there is none.
func templateGenerationOf(o object.Object) int64 {
	count, _ := strconv.ParseInt(text(o, "metadata", "annotations", templateGeneration), 10, 64)
	return count
}
