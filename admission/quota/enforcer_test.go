package quota_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// pod makes a pod with one container of these resources.
func pod(t testing.TB, name, resources string, spec ...string) object.Object {
	t.Helper()
	more := ""
	for _, s := range spec {
		more += ", " + s
	}
	return document(t, "{metadata: {name: "+name+"}, spec: {containers: [{name: c, resources: {"+resources+"}}]"+more+"}}")
}

func secret(t testing.TB, name string) object.Object {
	return document(t, "{metadata: {name: "+name+"}}")
}

// settle waits until everybody has seen what happened.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func TestCountsAreChargedRefusedAndFreed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		require.NoError(t, w.create("secrets", secret(t, "before")))
		w.addQuota(t, "counts", `count/secrets: "2", count/roles.rbac.authorization.k8s.io: "1", count/widgets.example.com: "0"`)
		settle()
		require.Equal(t, map[string]any{"count/secrets": "1", "count/roles.rbac.authorization.k8s.io": "0", "count/widgets.example.com": "0"}, w.status("counts", "used"))
		require.Equal(t, map[string]any{"count/secrets": "2", "count/roles.rbac.authorization.k8s.io": "1", "count/widgets.example.com": "0"}, w.status("counts", "hard"))

		require.NoError(t, w.create("secrets", secret(t, "second")))
		require.EqualError(t, w.create("secrets", secret(t, "third")),
			`secrets "third" is forbidden: exceeded quota: counts, requested: count/secrets=1, used: count/secrets=2, limited: count/secrets=2`)
		require.EqualError(t, w.create("widgets.example.com", secret(t, "w")),
			`widgets.example.com "w" is forbidden: exceeded quota: counts, requested: count/widgets.example.com=1, used: count/widgets.example.com=0, limited: count/widgets.example.com=0`)
		require.NoError(t, w.create("configmaps", secret(t, "free")))
		require.NoError(t, w.update("secrets", "second", "", func(o object.Object) { o["data"] = map[string]any{} }))

		w.delete("secrets", "before")
		settle()
		require.Equal(t, "1", w.status("counts", "used")["count/secrets"])
		require.NoError(t, w.create("secrets", secret(t, "third")))
	})
}

func TestPodsAreMeasuredByWhatTheyDeclare(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "compute", `pods: "3", requests.cpu: "1", limits.memory: 1Gi, requests.example.com/gadget: "2"`)
		w.addQuota(t, "short", "cpu: 800m, memory: 2Gi")
		refused := func(want string, p object.Object) {
			t.Helper()
			require.EqualError(t, w.create("pods", p), `pods "`+p.Name()+`" is forbidden: `+want)
		}
		refused("exceeded quota: compute, requested: limits.memory=2Gi, used: limits.memory=0, limited: limits.memory=1Gi",
			pod(t, "probe", "requests: {cpu: 1m, memory: 1Mi}, limits: {memory: 2Gi}"))
		refused("exceeded quota: short, requested: cpu=900m, used: cpu=0, limited: cpu=800m",
			pod(t, "probe", "requests: {cpu: 900m, memory: 1Mi}, limits: {memory: 1Mi}"))
		refused("failed quota: compute: must specify limits.memory for: c; requests.cpu for: c", pod(t, "p", ""))
		refused("failed quota: compute: must specify limits.memory for: c,d", document(t, `
metadata: {name: p}
spec: {containers: [{name: d, resources: {requests: {cpu: 1m}}}, {name: c, resources: {requests: {cpu: 1m}}}]}`))

		require.NoError(t, w.create("pods", document(t, `
metadata: {name: first}
spec:
  initContainers: [{name: i, resources: {requests: {cpu: 500m, memory: 16Mi}, limits: {memory: 16Mi}}}]
  containers:
  - {name: c, resources: {requests: {cpu: 100m, memory: 64Mi, example.com/gadget: "1"}, limits: {memory: 128Mi, example.com/gadget: "1"}}}
  - {name: d, resources: {requests: {cpu: 150m, memory: 256Mi}, limits: {cpu: 300m, memory: 256Mi}}}`)))
		require.Equal(t, map[string]any{"limits.memory": "384Mi", "pods": "1", "requests.cpu": "500m", "requests.example.com/gadget": "1"}, w.status("compute", "used"))
		require.Equal(t, map[string]any{"cpu": "500m", "memory": "320Mi"}, w.status("short", "used"))
		refused("exceeded quota: compute, requested: limits.memory=1Gi,requests.example.com/gadget=2, used: limits.memory=384Mi,requests.example.com/gadget=1, limited: limits.memory=1Gi,requests.example.com/gadget=2",
			pod(t, "p", "requests: {cpu: 100m, memory: 64Mi, example.com/gadget: 2}, limits: {memory: 1Gi, example.com/gadget: 2}"))
		require.NoError(t, w.create("pods", pod(t, "second", "requests: {cpu: 0.3, memory: 640Mi}, limits: {memory: 640Mi}")))
		refused("exceeded quota: short, requested: cpu=1m, used: cpu=800m, limited: cpu=800m",
			pod(t, "p", `requests: {cpu: 1m, memory: "0"}, limits: {memory: "0"}`))

		require.NoError(t, w.update("pods", "second", "status", func(o object.Object) { o["status"] = map[string]any{"phase": "Succeeded"} }))
		settle()
		require.Equal(t, "1", w.status("compute", "used")["pods"])
		w.delete("pods", "first")
		settle()
		require.Equal(t, map[string]any{"limits.memory": "0", "pods": "0", "requests.cpu": "0", "requests.example.com/gadget": "0"}, w.status("compute", "used"))
	})
}

func TestScopesChooseWhatIsCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "best", `pods: "1"`, "scopes: [BestEffort]")
		w.addQuota(t, "notbest", `pods: "1", requests.cpu: "1"`, "scopes: [NotBestEffort, NotTerminating]")
		w.addQuota(t, "ending", `pods: "1"`, "scopes: [Terminating]")
		w.addQuota(t, "vip", `pods: "0"`, "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [vip, other]}]}")
		require.EqualError(t, w.create("pods", pod(t, "v", "", "priorityClassName: vip, activeDeadlineSeconds: 5")),
			`pods "v" is forbidden: exceeded quota: vip, requested: pods=1, used: pods=0, limited: pods=0`)
		require.NoError(t, w.create("pods", pod(t, "b", "")))
		require.EqualError(t, w.create("pods", pod(t, "b2", "")),
			`pods "b2" is forbidden: exceeded quota: best, requested: pods=1, used: pods=1, limited: pods=1`)
		require.NoError(t, w.create("pods", pod(t, "burst", "requests: {cpu: 100m}")))
		require.EqualError(t, w.create("pods", pod(t, "burst2", "requests: {memory: 1Mi}")),
			`pods "burst2" is forbidden: failed quota: notbest: must specify requests.cpu for: c`)
		require.NoError(t, w.create("pods", pod(t, "t", "requests: {cpu: 5}", "activeDeadlineSeconds: 600")))
		require.EqualError(t, w.create("pods", pod(t, "t2", "requests: {cpu: 5}", "activeDeadlineSeconds: 600")),
			`pods "t2" is forbidden: exceeded quota: ending, requested: pods=1, used: pods=1, limited: pods=1`)
		settle()
		for name, want := range map[string]map[string]any{
			"best": {"pods": "1"}, "notbest": {"pods": "1", "requests.cpu": "100m"}, "ending": {"pods": "1"}, "vip": {"pods": "0"},
		} {
			require.Equal(t, want, w.status(name, "used"), name)
		}

		// A pod that comes into another scope is charged there, and freed where it was.
		require.EqualError(t, w.update("pods", "burst", "", func(o object.Object) {
			o["spec"].(map[string]any)["activeDeadlineSeconds"] = int64(5)
		}), `pods "burst" is forbidden: exceeded quota: ending, requested: pods=1, used: pods=1, limited: pods=1`)
		w.delete("pods", "t")
		settle()
		require.NoError(t, w.update("pods", "burst", "", func(o object.Object) {
			o["spec"].(map[string]any)["activeDeadlineSeconds"] = int64(5)
		}))
		settle()
		require.Equal(t, map[string]any{"pods": "1"}, w.status("ending", "used"))
		require.Equal(t, map[string]any{"pods": "0", "requests.cpu": "0"}, w.status("notbest", "used"))
	})
}

func TestUpdatesAreChargedByWhatTheyAdd(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `services: "2", services.nodeports: "2", services.loadbalancers: "0"`)
		service := func(name, spec string) object.Object {
			return document(t, "{metadata: {name: "+name+"}, spec: {"+spec+"}}")
		}
		require.EqualError(t, w.create("services", service("lb", "type: LoadBalancer, ports: [{port: 1}, {port: 2}, {port: 3}]")),
			`services "lb" is forbidden: exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=3, used: services.loadbalancers=0,services.nodeports=0, limited: services.loadbalancers=0,services.nodeports=2`)
		require.EqualError(t, w.create("services", service("lb", "type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 1}]")),
			`services "lb" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0`)
		require.NoError(t, w.create("services", service("one", "type: ClusterIP, ports: [{port: 1}, {port: 2}]")))
		require.NoError(t, w.create("services", service("two", "type: ExternalName")))
		require.EqualError(t, w.create("services", service("three", "ports: [{port: 1}]")),
			`services "three" is forbidden: exceeded quota: q, requested: services=1, used: services=2, limited: services=2`)

		set := func(field string, value any) error {
			return w.update("services", "one", "", func(o object.Object) { o["spec"].(map[string]any)[field] = value })
		}
		require.NoError(t, set("type", "NodePort"))
		require.Equal(t, "2", w.status("q", "used")["services.nodeports"])
		require.EqualError(t, set("ports", []any{map[string]any{}, map[string]any{}, map[string]any{}}),
			`services "one" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2`)

		require.NoError(t, w.update("resourcequotas", "q", "", func(o object.Object) {
			o["spec"] = map[string]any{"hard": map[string]any{"services": "1", "services.nodeports": "1"}}
		}))
		settle()
		require.Equal(t, map[string]any{"services": "1", "services.nodeports": "1"}, w.status("q", "hard"))
		require.Equal(t, map[string]any{"services": "2", "services.nodeports": "2"}, w.status("q", "used"))
		require.NoError(t, set("labels", "none"), "what is beyond the limit may change in other ways")
		require.NoError(t, set("type", "ClusterIP"))
		settle()
		require.Equal(t, map[string]any{"services": "2", "services.nodeports": "0"}, w.status("q", "used"))
	})
}

func TestClaimsAreMeasuredByStorageAndClass(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `persistentvolumeclaims: "5", requests.storage: 10Gi, gold.storageclass.storage.k8s.io/requests.storage: 2Gi`)
		claim := func(name, spec string) object.Object {
			return document(t, "{metadata: {name: "+name+"}, spec: {"+spec+"}}")
		}
		require.NoError(t, w.create("persistentvolumeclaims", claim("a", "resources: {requests: {storage: 1.5Gi}}")))
		require.NoError(t, w.create("persistentvolumeclaims", claim("b", "storageClassName: gold, resources: {requests: {storage: 2Gi}}")))
		require.EqualError(t, w.create("persistentvolumeclaims", claim("c", "storageClassName: gold, resources: {requests: {storage: 1}}")),
			`persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=1, `+
				`used: gold.storageclass.storage.k8s.io/requests.storage=2Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=2Gi`)
		grow := func(name, subresource, field string, path ...string) error {
			return w.update("persistentvolumeclaims", name, subresource, func(o object.Object) {
				if subresource == "status" {
					o["status"] = map[string]any{"allocatedResources": map[string]any{"storage": field}}
					return
				}
				o["spec"].(map[string]any)["resources"] = map[string]any{"requests": map[string]any{"storage": field}}
			})
		}
		require.NoError(t, grow("a", "", "8Gi"))
		require.Error(t, grow("a", "", "9Gi"))
		require.NoError(t, grow("a", "status", "20Gi"), "what has happened is counted, not refused")
		settle()
		require.Equal(t, map[string]any{"persistentvolumeclaims": "2", "requests.storage": "22Gi", "gold.storageclass.storage.k8s.io/requests.storage": "2Gi"}, w.status("q", "used"))
	})
}

func TestAQuotaIsInForceAtOnce(t *testing.T) {
	w := newWorld() // nobody follows the changes
	require.NoError(t, w.create("secrets", secret(t, "a")))
	w.addQuota(t, "q", `secrets: "1"`)
	require.Empty(t, w.status("q", "used"))
	require.EqualError(t, w.create("secrets", secret(t, "b")),
		`secrets "b" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1`)
	require.Equal(t, map[string]any{"secrets": "1"}, w.status("q", "used"))
}

func TestDryRunsAreRefusedButNotCharged(t *testing.T) {
	w := newWorld()
	w.addQuota(t, "q", `secrets: "1"`)
	req := w.request(groupResource("secrets"), secret(t, "a"), nil)
	req.DryRun = true
	require.NoError(t, w.enforcer.Validate(t.Context(), req))
	require.Equal(t, "0", w.status("q", "used")["secrets"])
	require.NoError(t, w.create("secrets", secret(t, "b")))
	require.Error(t, w.enforcer.Validate(t.Context(), req))
}

func TestNegativeUseIsRefused(t *testing.T) {
	w := newWorld()
	w.addQuota(t, "q", `requests.cpu: "1"`)
	require.EqualError(t, w.create("pods", pod(t, "p", `requests: {cpu: "-1"}`)),
		`pods "p" is forbidden: quota usage is negative for resource(s): cpu,requests.cpu`)
}

func TestACollisionWithAnotherWriterIsTriedAgain(t *testing.T) {
	w := newWorld()
	w.addQuota(t, "q", `secrets: "5"`)
	w.addQuota(t, "r", `count/secrets: "5"`)
	collisions := 3
	w.onWrite = func() {
		if collisions--; collisions >= 0 {
			w.mu.Lock()
			defer w.mu.Unlock()
			p := place{groupResource("resourcequotas"), namespace, "q"}
			w.put(p, w.objects[p].DeepCopy())
		}
	}
	require.NoError(t, w.create("secrets", secret(t, "a")))
	require.Equal(t, map[string]any{"secrets": "1"}, w.status("q", "used"))
	require.Equal(t, map[string]any{"count/secrets": "1"}, w.status("r", "used"))
}

func TestWhatCannotBeChargedIsRefusedAndFreed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `secrets: "5"`)
		w.addQuota(t, "r", `count/secrets: "5"`)
		settle()
		var busy atomic.Bool
		busy.Store(true)
		w.onWrite = func() {
			if busy.Load() {
				w.mu.Lock()
				defer w.mu.Unlock()
				p := place{groupResource("resourcequotas"), namespace, "q"}
				w.put(p, w.objects[p].DeepCopy())
			}
		}
		err := w.create("secrets", secret(t, "a"))
		require.True(t, object.IsConflict(err), "%v", err)
		busy.Store(false)
		settle()
		require.Equal(t, map[string]any{"secrets": "0"}, w.status("q", "used"))
		require.Equal(t, map[string]any{"count/secrets": "0"}, w.status("r", "used"))
	})
}

func TestAChargeThatComesToNothingIsFreed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `secrets: "2"`)
		settle()
		require.NoError(t, w.create("secrets", secret(t, "a")))
		settle()
		require.True(t, object.IsAlreadyExists(w.create("secrets", secret(t, "a"))))
		settle()
		require.Equal(t, "2", w.status("q", "used")["secrets"])
		time.Sleep(10 * time.Second)
		require.Equal(t, "1", w.status("q", "used")["secrets"])
	})
}

func TestARequestThatIsSaidToHaveFailedIsFreedAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `secrets: "2"`)
		require.NoError(t, w.create("secrets", secret(t, "a")))
		settle()
		req := w.request(groupResource("secrets"), secret(t, "a"), nil)
		require.NoError(t, w.enforcer.Validate(t.Context(), req))
		require.Equal(t, "2", w.status("q", "used")["secrets"])
		req.Finish(false)
		settle()
		require.Equal(t, "1", w.status("q", "used")["secrets"])
	})
}

func TestWhoWaitsNoLongerIsNotCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.addQuota(t, "q", `secrets: "5"`)
		written := make(chan struct{})
		w.onWrite = func() { <-written }
		first := make(chan error)
		go func() { first <- w.create("secrets", secret(t, "a")) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		second := make(chan error)
		go func() { second <- w.enforcer.Validate(ctx, w.request(groupResource("secrets"), secret(t, "b"), nil)) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-second, context.Canceled)
		close(written)
		require.NoError(t, <-first)
		require.Equal(t, "1", w.status("q", "used")["secrets"])
	})
}

func TestRequestsThatComeAtOnceShareAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.addQuota(t, "q", `secrets: "5"`)
		writes := 0
		w.onWrite = func() { writes++; time.Sleep(time.Millisecond) }
		errs := make(chan error)
		for i := range 20 {
			go func() { errs <- w.create("secrets", secret(t, fmt.Sprint("s", i))) }()
		}
		refused := 0
		for range 20 {
			if <-errs != nil {
				refused++
			}
		}
		require.Equal(t, 15, refused)
		require.LessOrEqual(t, writes, 2)
	})
}

func TestACountDoesNotForgetWhatIsOnItsWay(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `secrets: "2"`)
		require.NoError(t, w.create("secrets", secret(t, "a")))
		settle()
		require.NoError(t, w.enforcer.Validate(t.Context(), w.request(groupResource("secrets"), secret(t, "slow"), nil)))
		w.delete("secrets", "a")
		settle()
		require.Equal(t, "1", w.status("q", "used")["secrets"], "the one that is still to come")
		require.NoError(t, w.create("secrets", secret(t, "b")))
		require.Error(t, w.create("secrets", secret(t, "c")))
	})
}

func TestWhatNobodyServesIsNotCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `count/things.absent.example.com: "2", example.com/unknown: "1", secrets: "1"`)
		settle()
		require.Equal(t, map[string]any{"secrets": "0"}, w.status("q", "used"))
		require.NoError(t, w.create("secrets", secret(t, "a")))
		lists := w.lists
		require.Error(t, w.create("secrets", secret(t, "b")))
		require.Equal(t, lists, w.lists, "nothing is counted anew for it")
	})
}

func TestOnlyChangesThatMatterAreCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `secrets: "9", pods: "9"`)
		require.NoError(t, w.create("pods", pod(t, "p", "")))
		settle()
		lists := w.lists
		require.NoError(t, w.create("secrets", secret(t, "a")))
		require.NoError(t, w.update("secrets", "a", "", func(o object.Object) { o["data"] = "b" }))
		require.NoError(t, w.update("pods", "p", "status", func(o object.Object) { o["status"] = map[string]any{"phase": "Running"} }))
		require.NoError(t, w.create("configmaps", secret(t, "a")))
		w.delete("configmaps", "a")
		settle()
		require.Equal(t, lists, w.lists)
		w.delete("secrets", "a")
		settle()
		require.Greater(t, w.lists, lists)
	})
}

func TestTimeFreesPodsThatShouldBeGone(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.addQuota(t, "q", `pods: "1"`)
		require.NoError(t, w.create("pods", pod(t, "p", "")))
		require.NoError(t, w.update("pods", "p", "", func(o object.Object) {
			o.SetDeletionTimestamp(time.Now())
			o.SetDeletionGracePeriodSeconds(30)
		}))
		settle()
		require.Equal(t, "1", w.status("q", "used")["pods"])
		time.Sleep(6 * time.Minute)
		require.Equal(t, "0", w.status("q", "used")["pods"])
	})
}

func TestOfWhatIsNotLimitedNothingIsKept(t *testing.T) {
	w := newWorld()
	w.addQuota(t, "q", `pods: "1"`)
	for _, c := range []struct {
		resource  string
		namespace string
	}{{"events", namespace}, {"localsubjectaccessreviews.authorization.k8s.io", namespace}, {"nodes", ""}, {"secrets", namespace}, {"secrets", "other"}} {
		o := secret(t, "a")
		o.SetNamespace(c.namespace)
		require.NoError(t, w.create(c.resource, o))
	}
	require.Zero(t, w.lists)
}

func TestAFailingStoreIsAnInternalError(t *testing.T) {
	e := quota.New(failing{newWorld()})
	chain := admission.Chain{Validators: []admission.Validator{e}}
	err := chain.Validate(t.Context(), newWorld().request(groupResource("secrets"), secret(t, "a"), nil))
	require.EqualError(t, err, "Internal error occurred: error resolving quota of namespace team: no disk")
	require.ErrorIs(t, err, object.ErrInternal)
}

type failing struct{ *world }

func (failing) Quotas(context.Context, string) ([]object.Object, error) {
	return nil, errors.New("no disk")
}

func TestWhatIsOnItsWayWhenAQuotaComesIsCounted(t *testing.T) {
	for _, first := range []string{"none", `secrets: "9"`, `pods: "9"`} {
		t.Run("first quota: "+first, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				if first != "none" {
					w.addQuota(t, "first", first)
				}
				settle()
				w.onAdmitted = func() {
					w.onAdmitted = nil
					w.addQuota(t, "q", `secrets: "1"`)
					settle()
					require.Equal(t, "0", w.status("q", "used")["secrets"])
				}
				require.NoError(t, w.create("secrets", secret(t, "a")))
				settle()
				require.Equal(t, "1", w.status("q", "used")["secrets"])
				require.Error(t, w.create("secrets", secret(t, "b")))
			})
		})
	}
}
