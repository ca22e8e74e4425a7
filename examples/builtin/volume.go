package builtin

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// volumePresets are those of the volumes of pods.
func volumePresets() *presets {
	p := volumeSourcePresets()
	items := part{"items", at("fieldRef", fieldRefPresets())}
	p.also = completeVolume
	p.parts = append(p.parts,
		part{"image", &presets{also: func(m map[string]any) { completePullPolicy(m, "pullPolicy", "reference") }}},
		part{"secret", valuesOf("defaultMode", int64(corev1.SecretVolumeSourceDefaultMode))},
		part{"configMap", valuesOf("defaultMode", int64(corev1.ConfigMapVolumeSourceDefaultMode))},
		part{"downwardAPI", &presets{
			values: []preset{{"defaultMode", int64(corev1.DownwardAPIVolumeSourceDefaultMode)}},
			parts:  []part{items},
		}},
		part{"projected", &presets{
			values: []preset{{"defaultMode", int64(corev1.ProjectedVolumeSourceDefaultMode)}},
			parts: []part{{"sources", &presets{parts: []part{
				{"downwardAPI", &presets{parts: []part{items}}},
				{"serviceAccountToken", valuesOf("expirationSeconds", int64(3600))},
			}}}},
		}},
		part{"ephemeral", at("volumeClaimTemplate", at("spec", claimSpecPresets()))},
	)
	return p
}

// completeVolume makes of a volume that comes from nowhere an empty directory.
func completeVolume(volume map[string]any) {
	for name, source := range volume {
		if name != "name" && source != nil {
			return
		}
	}
	volume["emptyDir"] = map[string]any{}
}

// volumeSourcePresets are those of what volumes of pods and of the cluster come from.
func volumeSourcePresets() *presets {
	return &presets{parts: []part{
		{"hostPath", valuesOf("type", string(corev1.HostPathUnset))},
		{"iscsi", valuesOf("iscsiInterface", "default")},
		{"rbd", valuesOf("pool", "rbd", "user", "admin", "keyring", "/etc/ceph/keyring")},
		{"azureDisk", valuesOf("cachingMode", string(corev1.AzureDataDiskCachingReadWrite), "fsType", "ext4",
			"readOnly", false, "kind", string(corev1.AzureSharedBlobDisk))},
		{"scaleIO", valuesOf("storageMode", "ThinProvisioned", "fsType", "xfs")},
	}}
}

// persistentVolumePresets are those of volumes of the cluster.
func persistentVolumePresets() *presets {
	spec := volumeSourcePresets()
	spec.values = []preset{
		{"persistentVolumeReclaimPolicy", string(corev1.PersistentVolumeReclaimRetain)},
		{"volumeMode", string(corev1.PersistentVolumeFilesystem)},
	}
	spec.parts = append(spec.parts, part{"capacity", amountPresets()})
	return &presets{parts: []part{{"spec", spec}, {"status", valuesOf("phase", string(corev1.VolumePending))}}}
}

// claimPresets are those of claims of volumes and of templates of claims.
func claimPresets() *presets {
	amounts := amountPresets()
	return &presets{parts: []part{
		{"spec", claimSpecPresets()},
		{"status", &presets{
			values: []preset{{"phase", string(corev1.ClaimPending)}},
			parts:  []part{{"capacity", amounts}, {"allocatedResources", amounts}},
		}},
	}}
}

func claimSpecPresets() *presets {
	return &presets{
		values: []preset{{"volumeMode", string(corev1.PersistentVolumeFilesystem)}},
		parts:  []part{{"resources", resourcePresets()}},
	}
}

// prepareVolume says since when a new volume is what it is.
func prepareVolume(next, old object.Object) {
	if old == nil {
		ensure(next, "status")[phaseSince] = now()
	}
}

// settleVolumeStatus says since when a volume is in its phase, if the writer doesn't.
func settleVolumeStatus(next, old object.Object) {
	status, before := ensure(next, "status"), mapping(old, "status")
	switch given := status[phaseSince]; {
	case status["phase"] == before["phase"]:
		keepMissing(status, before, phaseSince)
	case given == nil || given == before[phaseSince]:
		status[phaseSince] = now()
	}
}

const phaseSince = "lastPhaseTransitionTime"

// settleClaim makes the two fields for the source of a new volume one. The older of them
// takes claims and snapshots only; what else is there has always been dropped.
func settleClaim(next, old object.Object) {
	spec, before := mapping(next, "spec"), mapping(old, "spec")
	if spec == nil {
		return
	}
	const simple, full = "dataSource", "dataSourceRef"
	source := mapping(spec, simple)
	hadSource := before[simple] != nil || before[full] != nil
	if source != nil && spec[full] == nil && !hadSource && !isClaimOrSnapshot(source) {
		delete(spec, simple)
		source = nil
	}
	switch ref := mapping(spec, full); {
	case source != nil && ref == nil:
		spec[full] = maps.Clone(source)
	case source == nil && ref != nil && text(ref, "namespace") == "":
		source := maps.Clone(ref)
		delete(source, "namespace")
		spec[simple] = source
	}
}

func isClaimOrSnapshot(source map[string]any) bool {
	switch group := text(source, "apiGroup"); source["kind"] {
	case "PersistentVolumeClaim":
		return group == ""
	case "VolumeSnapshot":
		return group == "snapshot.storage.k8s.io"
	}
	return false
}
