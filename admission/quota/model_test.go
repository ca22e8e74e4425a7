package quota_test

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// TestTheStatusIsWhatThereIs lets several clients create, change and delete at random, while a
// quota comes, changes and goes, and others write the status of another one. Whatever
// happens, no limit is passed; and in the end what is used is what there is.
func TestTheStatusIsWhatThereIs(t *testing.T) {
	for seed := range int64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.addQuota(t, "steady", `pods: "12", requests.cpu: "6", services.nodeports: "7", secrets: "5", count/secrets: "5"`)
				w.tells = seed%2 == 0
				w.onAdmitted = func() { time.Sleep(time.Duration(rand.Intn(60)) * time.Millisecond) }
				var clients sync.WaitGroup
				for c := range 4 {
					clients.Add(1)
					go func() {
						defer clients.Done()
						r := rand.New(rand.NewSource(seed*100 + int64(c)))
						for range 150 {
							w.act(t, r)
							time.Sleep(time.Duration(r.Intn(40)) * time.Millisecond)
						}
					}()
				}
				done := make(chan struct{})
				go func() { clients.Wait(); close(done) }()
				for busy := true; busy; {
					select {
					case <-done:
						busy = false
					case <-time.After(3 * time.Millisecond):
						w.requireWithinLimits(t, "steady")
					}
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				w.requireRecounted(t, "steady")
				w.requireRecounted(t, "other")
			})
		})
	}
}

// act does one random thing.
func (w *world) act(t *testing.T, r *rand.Rand) {
	name := fmt.Sprint("n", r.Intn(12))
	deadline := []string{"", "activeDeadlineSeconds: 9"}[r.Intn(2)]
	switch r.Intn(12) {
	case 0, 1, 2:
		spec := []string{"serviceAccountName: a"}
		if deadline != "" {
			spec = append(spec, deadline)
		}
		_ = w.create("pods", pod(t, name, fmt.Sprintf("requests: {cpu: %dm}", 100*r.Intn(12)), spec...))
	case 3:
		w.delete("pods", name)
	case 4:
		_ = w.update("pods", name, "status", func(o object.Object) { o["status"] = map[string]any{"phase": "Failed"} })
	case 5:
		_ = w.create("secrets", secret(t, name))
	case 6:
		w.delete("secrets", name)
	case 7:
		_ = w.create("services", document(t, "{metadata: {name: "+name+"}, spec: {type: NodePort, ports: [{port: 1}]}}"))
	case 8:
		ports := make([]any, r.Intn(4))
		_ = w.update("services", name, "", func(o object.Object) { o["spec"].(map[string]any)["ports"] = ports })
	case 9:
		w.delete("services", name)
	case 10: // a charge that comes to nothing
		_ = w.enforcer.Validate(t.Context(), w.request(groupResource("secrets"), secret(t, "never"+name), nil))
	case 11:
		switch r.Intn(4) {
		case 0:
			_ = w.create("resourcequotas", quotaOf(t, "other", `pods: "50", services: "50"`, "scopes: [Terminating]"))
		case 1:
			w.delete("resourcequotas", "other")
		default:
			_ = w.update("resourcequotas", "other", "", func(o object.Object) { // as others do who touch it
				o["metadata"].(map[string]any)["labels"] = map[string]any{"a": fmt.Sprint(r.Int())}
			})
		}
	}
}

// requireWithinLimits counts what there is of what the first quota limits.
func (w *world) requireWithinLimits(t *testing.T, name string) {
	for limited, used := range w.recount(t, name) {
		v, _ := w.get(place{groupResource("resourcequotas"), namespace, name}).Field("spec", "hard", limited)
		limit, err := quantity.Parse(v.(string))
		require.NoError(t, err)
		require.LessOrEqual(t, used.Compare(limit), 0, "%s of %s: %s", limited, v, used)
	}
}

func (w *world) requireRecounted(t *testing.T, name string) {
	t.Helper()
	if w.get(place{groupResource("resourcequotas"), namespace, name}) == nil {
		return
	}
	want := map[string]any{}
	for limited, used := range w.recount(t, name) {
		want[limited] = used.String()
	}
	require.Equal(t, want, w.status(name, "used"))
}

// recount is the model: it adds up all objects, without anything of the package.
func (w *world) recount(t *testing.T, name string) map[string]quantity.Quantity {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.objects[place{groupResource("resourcequotas"), namespace, name}]
	used := map[string]quantity.Quantity{}
	hard, _ := q.Field("spec", "hard")
	for limited := range hard.(map[string]any) {
		used[limited] = quantity.Quantity{}
	}
	add := func(limited string, n quantity.Quantity) {
		if sum, ok := used[limited]; ok {
			used[limited] = sum.Add(n)
		}
	}
	for p, o := range w.objects {
		_, isTerminating := o.Field("spec", "activeDeadlineSeconds")
		ended, _ := o.Field("status", "phase")
		if _, scoped := q.Field("spec", "scopes"); scoped && (p.resource.Resource != "pods" || !isTerminating) {
			continue
		}
		switch p.resource.Resource {
		case "pods":
			if ended == nil {
				add("pods", quantity.Of(1))
				containers, _ := o.Field("spec", "containers")
				cpu, _ := object.Object(containers.([]any)[0].(map[string]any)).Field("resources", "requests", "cpu")
				n, err := quantity.Parse(cpu.(string))
				require.NoError(t, err)
				add("requests.cpu", n)
			}
		case "secrets":
			add("secrets", quantity.Of(1))
			add("count/secrets", quantity.Of(1))
		case "services":
			add("services", quantity.Of(1))
			ports, _ := o.Field("spec", "ports")
			add("services.nodeports", quantity.Of(int64(len(ports.([]any)))))
		}
	}
	return used
}
