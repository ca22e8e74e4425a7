package apply_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// model is what ownership means, for the keys of one map: who holds which, and their
// values. An owner is a manager and how it writes.
type model struct {
	values map[string]string
	owners map[string]map[string]bool // by key
}

// apply gives the conflicts, as "owner key", and changes nothing if there are any.
func (m *model) apply(manager string, config map[string]string, force bool) (conflicts []string) {
	own := manager + " Apply"
	for key, value := range config {
		if was, ok := m.values[key]; ok && was != value {
			for other := range m.owners[key] {
				if other != own {
					conflicts = append(conflicts, other+" "+key)
				}
			}
		}
	}
	if len(conflicts) > 0 && !force {
		slices.Sort(conflicts)
		return conflicts
	}
	for key, owners := range m.owners {
		if _, ok := config[key]; owners[own] && !ok {
			delete(owners, own)
			if len(owners) == 0 {
				delete(m.values, key)
			}
		}
	}
	for key, value := range config {
		m.set(key, value, own)
	}
	return nil
}

func (m *model) update(manager string, values map[string]string) {
	for key := range m.values {
		if _, ok := values[key]; !ok {
			delete(m.values, key)
			delete(m.owners, key)
		}
	}
	for key, value := range values {
		if was, ok := m.values[key]; !ok || was != value {
			m.set(key, value, manager+" Update")
		}
	}
}

// set gives a key a value; who held another loses it.
func (m *model) set(key, value, owner string) {
	if was, ok := m.values[key]; !ok || was != value || m.owners[key] == nil {
		m.owners[key] = map[string]bool{}
	}
	m.values[key] = value
	m.owners[key][owner] = true
}

func (m *model) String() string {
	var lines []string
	for key, value := range m.values {
		owners := slices.Sorted(maps.Keys(m.owners[key]))
		lines = append(lines, fmt.Sprintf("%s=%s %v", key, value, owners))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// asModel reads an object.
func asModel(o object.Object) *model {
	m := &model{values: texts(o), owners: map[string]map[string]bool{}}
	for key := range m.values {
		m.owners[key] = map[string]bool{}
	}
	for _, line := range strings.Split(ownersOf(o), "\n") {
		words := strings.Fields(line)
		for _, path := range words[2:] {
			if key, ok := strings.CutPrefix(path, ".data."); ok {
				m.owners[key][words[0]+" "+words[1]] = true
			}
		}
	}
	return m
}

func texts(o object.Object) map[string]string {
	out := map[string]string{}
	data, _ := o["data"].(map[string]any)
	for key, value := range data {
		out[key] = value.(string)
	}
	return out
}

// kept is a key that nobody changes.
const kept = "kept"

// TestOwnershipAgreesWithTheModel lets three managers apply and update at random.
func TestOwnershipAgreesWithTheModel(t *testing.T) {
	merger := benchMerger(t)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		random := func(all int) map[string]string {
			m := map[string]string{}
			for i := range 6 {
				if r.IntN(all) == 0 {
					m[fmt.Sprint("k", i)] = fmt.Sprint(r.IntN(3))
				}
			}
			return m
		}
		m := &model{values: map[string]string{}, owners: map[string]map[string]bool{}}
		// Somebody owns something at all times, and in the map: one that an apply empties becomes
		// null, as in the API, and then there are conflicts about the map itself.
		base := map[string]string{kept: "x"}
		require.Empty(t, m.apply("base", base, false))
		live, _, err := merger.Apply(nil, configOf(base), apply.Writer{Manager: "base"}, false)
		require.NoError(t, err)
		live.SetUID("u")
		for step := range 40 {
			w := apply.Writer{Manager: fmt.Sprint("m", r.IntN(3)), Now: time.Unix(int64(step), 0)}
			if r.IntN(2) == 0 {
				config, force := random(3), r.IntN(4) == 0
				want := m.apply(w.Manager, config, force)
				next, _, err := merger.Apply(live, configOf(config), w, force)
				require.Equal(t, want, conflictsOf(t, err), "seed %d, step %d", seed, step)
				if err == nil {
					live = next
				}
			} else {
				values := texts(live)
				maps.Copy(values, random(4))
				for _, key := range slices.Sorted(maps.Keys(values)) { // each run draws the same
					if key != kept && r.IntN(6) == 0 {
						delete(values, key)
					}
				}
				m.update(w.Manager, values)
				next := live.DeepCopy()
				next["data"] = configOf(values)["data"]
				require.NoError(t, merger.Track(live, next, w))
				live = next
			}
			require.Equal(t, m.String(), asModel(live).String(), "seed %d, step %d", seed, step)
		}
	}
}

func configOf(values map[string]string) object.Object {
	data := map[string]any{}
	for key, value := range values {
		data[key] = value
	}
	return object.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": data}
}

// conflictsOf lists the conflicts of a failure as the model does.
func conflictsOf(t *testing.T, err error) (conflicts []string) {
	if err == nil {
		return nil
	}
	var status *object.StatusError
	require.True(t, errors.As(err, &status), "%v", err)
	for _, c := range status.Status.Details.Causes {
		manager, isUpdate := strings.CutSuffix(strings.TrimPrefix(c.Message, "conflict with "), " using v1")
		how := "Apply"
		if isUpdate {
			how = "Update"
		}
		conflicts = append(conflicts, strings.Trim(manager, `"`)+" "+how+" "+strings.TrimPrefix(c.Field, ".data."))
	}
	slices.Sort(conflicts)
	return conflicts
}
