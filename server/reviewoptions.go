package server

import (
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// document gives the options of a write as stages of admission see them.
func (o WriteOptions) document(kind string) object.Object {
	d := optionsDocument(kind, o.DryRun)
	if o.FieldManager != "" {
		d["fieldManager"] = o.FieldManager
	}
	if o.FieldValidation != "" {
		d["fieldValidation"] = o.FieldValidation
	}
	return d
}

func optionsDocument(kind string, dryRun []string) object.Object {
	d := object.Object{"kind": kind, "apiVersion": "meta.k8s.io/v1"}
	if len(dryRun) > 0 {
		values := make([]any, len(dryRun))
		for i, v := range dryRun {
			values[i] = v
		}
		d["dryRun"] = values
	}
	return d
}

// deleteOptionsDocument does the same for those of a deletion.
func deleteOptionsDocument(o gc.DeleteOptions) object.Object {
	d := optionsDocument("DeleteOptions", o.DryRun)
	if o.GracePeriodSeconds != nil {
		d["gracePeriodSeconds"] = *o.GracePeriodSeconds
	}
	if o.OrphanDependents != nil {
		d["orphanDependents"] = *o.OrphanDependents
	}
	if o.PropagationPolicy != nil {
		d["propagationPolicy"] = *o.PropagationPolicy
	}
	if o.IgnoreReadErrors != nil {
		d["ignoreStoreReadErrorWithClusterBreakingPotential"] = *o.IgnoreReadErrors
	}
	if o.Preconditions != nil {
		d["preconditions"] = preconditionsDocument(o.Preconditions)
	}
	return d
}

func preconditionsDocument(p *gc.Preconditions) map[string]any {
	d := map[string]any{}
	if p.UID != nil {
		d["uid"] = *p.UID
	}
	if p.ResourceVersion != nil {
		d["resourceVersion"] = *p.ResourceVersion
	}
	return d
}
