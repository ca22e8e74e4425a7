package builtin

import (
	"maps"
	"slices"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// initialStatus gives a function that makes the status of a new object: what the type
// shows when nothing is set, and the phase if there is one.
func initialStatus(codec server.Codec, phase string) func() map[string]any {
	empty := sync.OnceValue(func() object.Object {
		o, _, err := codec.DecodeJSON([]byte("{}"))
		if err != nil {
			panic(err) // every type can be empty
		}
		return o
	})
	return func() map[string]any {
		status, _ := empty().DeepCopy()["status"].(map[string]any)
		if status == nil {
			status = map[string]any{}
		}
		if phase != "" {
			status["phase"] = phase
		}
		return status
	}
}

// prepareStatus keeps everything but the status and the metadata.
func (r *row) prepareStatus(next, old object.Object) {
	for name := range next {
		if !isHead(name) && name != "status" {
			delete(next, name)
		}
	}
	for name := range old {
		if !isHead(name) && name != "status" {
			keep(next, old, name)
		}
	}
	if r.statusKeeps != "" {
		metadata := object.Object(next.EnsureMetadata())
		keep(metadata, old.Metadata(), r.statusKeeps)
	}
	if r.settleStatus != nil {
		r.settleStatus(next, old)
	}
}

// statusChanges are the fields that a write of the status can change.
func (r *row) statusChanges() *apply.Filter {
	if r.statusKeeps == "" {
		return apply.Except("spec")
	}
	return apply.Except("spec", "metadata."+r.statusKeeps)
}

func isHead(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// differ says whether two documents differ outside of some members.
func differ(a, b object.Object, without ...string) bool {
	rest := func(o object.Object) object.Object {
		o = maps.Clone(o)
		maps.DeleteFunc(o, func(name string, _ any) bool { return slices.Contains(without, name) })
		return o
	}
	return !rest(a).Equal(rest(b))
}
