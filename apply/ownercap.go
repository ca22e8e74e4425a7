package apply

import (
	"cmp"
	"slices"
)

// maxUpdaters is how many owners may be there that do not apply, and ancient the
// manager that the oldest of more are made one.
const (
	maxUpdaters = 10
	ancient     = "ancient-changes"
)

// cap merges the oldest of too many owners that do not apply, those of each version
// with one another, and with those that were merged before.
func (all owners) cap() {
	var updaters []string
	for id, o := range all {
		if !o.applied() {
			updaters = append(updaters, id)
		}
	}
	if len(updaters) <= maxUpdaters {
		return
	}
	slices.SortFunc(updaters, func(a, b string) int {
		return cmp.Or(cmp.Compare(all[a].seconds(), all[b].seconds()), cmp.Compare(a, b))
	})
	oldest := map[string]string{} // ids by version
	left := len(updaters)
	for _, id := range updaters {
		if left <= maxUpdaters {
			return
		}
		o := all[id]
		first, ok := oldest[o.apiVersion]
		if !ok {
			oldest[o.apiVersion] = id
			continue
		}
		merged := &owner{manager: ancient, operation: operationUpdate, apiVersion: o.apiVersion}
		bucket := merged.id()
		if id == bucket {
			continue
		}
		if all[bucket] == nil {
			merged.fields = all[first].fields
			delete(all, first)
			all[bucket] = merged
		}
		b := all[bucket]
		b.change(o.fields.Union(b.fields), o.apiVersion)
		b.time = o.time
		delete(all, id)
		left--
	}
}
