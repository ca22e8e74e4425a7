package server

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
	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// limited are resources that quotas and limit ranges are about.
func limited() []Resource {
	quotas := Resource{Plural: "resourcequotas", Kind: "ResourceQuota", Namespaced: true, Versions: []Version{{Name: "v1"}}}
	quotas.Prepare = func(next, old object.Object) { keepField(next, old, "status") }
	quotas.Subresources = []Subresource{{
		Name: "status", Verbs: []string{"get", "update", "patch"},
		Rules: Rules{Prepare: func(next, old object.Object) { keepField(next, old, "spec") }},
	}}
	core := func(plural, kind string) Resource {
		return Resource{Plural: plural, Kind: kind, Namespaced: true, Versions: []Version{{Name: "v1"}}}
	}
	return []Resource{quotas, widgets(), core("secrets", "Secret"), core("pods", "Pod"), core("limitranges", "LimitRange")}
}

// inLimitedWorld runs a test with a server that enforces quotas and limit ranges.
func inLimitedWorld(t *testing.T, test func(t *testing.T, s *Server)) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, limited()...)
		enforcer := quota.New(s.Access())
		enforcer.Failed = func(err error) { t.Error(err) }
		ranges := limits.Ranges{Reader: s.Access()}
		s.Admit(admission.Chain{Mutators: []admission.Mutator{ranges}, Validators: []admission.Validator{ranges, enforcer}})
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			enforcer.Run(ctx)
		}()
		defer func() { stop(); <-stopped }()
		test(t, s)
	})
}

func inTeam(group, plural, name string) Target {
	version := object.GroupVersionResource{Group: group, Version: "v1", Resource: plural}
	return Target{Resource: version, Namespace: "team", Name: name, User: object.User{Name: "someone"}}
}

func named(name string, fields ...any) object.Object {
	o := object.Object{"metadata": map[string]any{"name": name}}
	for i := 0; i < len(fields); i += 2 {
		o[fields[i].(string)] = fields[i+1]
	}
	return o
}

func usedOf(t *testing.T, s *Server, name string) any {
	t.Helper()
	o, err := s.Get(t.Context(), inTeam("", "resourcequotas", name))
	require.NoError(t, err)
	used, _ := o.Field("status", "used")
	return used
}

func TestQuotasHoldAgainstManyWriters(t *testing.T) {
	inLimitedWorld(t, func(t *testing.T, s *Server) {
		hard := map[string]any{"hard": map[string]any{"count/widgets.example.com": "30", "secrets": "11"}}
		_, err := s.Create(t.Context(), inTeam("", "resourcequotas", ""), named("q", "spec", hard), WriteOptions{})
		require.NoError(t, err)
		var widgets, secrets, taken atomic.Int32
		together(16, func(i int) {
			for j := range 10 {
				name := fmt.Sprintf("n%d-%d", i, j)
				if _, err := s.Create(t.Context(), inTeam("example.com", "widgets", ""), named(name), WriteOptions{}); err == nil {
					widgets.Add(1)
				} else if !object.IsForbidden(err) {
					t.Error(err)
				}
				_, err := s.Create(t.Context(), inTeam("", "secrets", ""), named(fmt.Sprint("s", j)), WriteOptions{})
				switch {
				case err == nil:
					secrets.Add(1)
				case object.IsAlreadyExists(err):
					taken.Add(1)
				case !object.IsForbidden(err):
					t.Error(err)
				}
			}
		})
		require.EqualValues(t, 30, widgets.Load())
		require.LessOrEqual(t, secrets.Load(), int32(10))
		require.NotZero(t, taken.Load())
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, map[string]any{"count/widgets.example.com": "30", "secrets": fmt.Sprint(secrets.Load())}, usedOf(t, s, "q"),
			"what came to nothing is not counted")

		require.NoError(t, s.DeleteCollection(t.Context(), inTeam("example.com", "widgets", ""), ListOptions{}, gc.DeleteOptions{}))
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, map[string]any{"count/widgets.example.com": "0", "secrets": fmt.Sprint(secrets.Load())}, usedOf(t, s, "q"))
	})
}

func TestLimitRangesCompleteAndRefusePods(t *testing.T) {
	inLimitedWorld(t, func(t *testing.T, s *Server) {
		items := []any{map[string]any{"type": "Container", "default": map[string]any{"cpu": "1"}, "max": map[string]any{"cpu": "2"}}}
		_, err := s.Create(t.Context(), inTeam("", "limitranges", ""), named("r", "spec", map[string]any{"limits": items}), WriteOptions{})
		require.NoError(t, err)
		pod := func(resources map[string]any) object.Object {
			return named("p", "spec", map[string]any{"containers": []any{map[string]any{"name": "c", "resources": resources}}})
		}
		o, err := s.Create(t.Context(), inTeam("", "pods", ""), pod(map[string]any{}), WriteOptions{})
		require.NoError(t, err)
		require.Equal(t, "LimitRanger plugin set: cpu limit for container c", o.Annotations()["kubernetes.io/limit-ranger"])
		_, err = s.Create(t.Context(), inTeam("", "pods", ""), pod(map[string]any{"limits": map[string]any{"cpu": "3"}}), WriteOptions{})
		require.EqualError(t, err, `pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3`)
	})
}

func TestListsEndWhereNobodyWantsMore(t *testing.T) {
	s := newWorld(t, limited()...)
	for _, name := range []string{"a", "b", "c"} {
		_, err := s.Create(t.Context(), inTeam("", "secrets", ""), named(name), WriteOptions{})
		require.NoError(t, err)
	}
	secrets := object.GroupResource{Resource: "secrets"}
	for o, err := range s.Access().List(t.Context(), secrets, "team") {
		require.NoError(t, err)
		require.Equal(t, "a", o.Name())
		break
	}
	for name, err := range s.Access().Names(t.Context(), secrets, "team") {
		require.NoError(t, err)
		require.Equal(t, "a", name)
		break
	}
	for _, err := range s.Access().List(t.Context(), object.GroupResource{Resource: "nothing"}, "") {
		require.True(t, errors.Is(err, object.ErrNotFound))
	}
}

func TestAQuotaWhoseStatusCannotBeWrittenIsAnError(t *testing.T) {
	resources := limited()
	resources[0].Subresources = nil
	s := newWorld(t, resources...)
	s.Admit(admission.Chain{Validators: []admission.Validator{quota.New(s.Access())}})
	hard := map[string]any{"hard": map[string]any{"secrets": "1"}}
	_, err := s.Create(t.Context(), inTeam("", "resourcequotas", ""), named("q", "spec", hard), WriteOptions{})
	require.NoError(t, err)
	_, err = s.Create(t.Context(), inTeam("", "secrets", ""), named("s"), WriteOptions{})
	require.ErrorIs(t, err, object.ErrInternal)
	require.ErrorContains(t, err, "resourcequotas are described without a subresource status")
}

// BenchmarkCreateUnderQuotas tells what quotas cost where there are none, and where one counts
// what is created.
func BenchmarkCreateUnderQuotas(b *testing.B) {
	for _, c := range []struct {
		name   string
		admits bool
		hard   map[string]any
	}{
		{"without enforcer", false, nil},
		{"no quota", true, nil},
		{"of something else", true, map[string]any{"pods": "1"}},
		{"counted", true, map[string]any{"secrets": "1000000000"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newWorld(b, limited()...)
			if c.admits {
				s.Admit(admission.Chain{Validators: []admission.Validator{quota.New(s.Access())}})
			}
			if c.hard != nil {
				_, err := s.Create(b.Context(), inTeam("", "resourcequotas", ""), named("q", "spec", map[string]any{"hard": c.hard}), WriteOptions{})
				require.NoError(b, err)
			}
			i := 0
			for b.Loop() {
				i++
				if _, err := s.Create(b.Context(), inTeam("", "secrets", ""), named(fmt.Sprint("s", i)), WriteOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCreateUnderQuotaAtOnce lets many writers share the writes of a quota.
func BenchmarkCreateUnderQuotaAtOnce(b *testing.B) {
	s := newWorld(b, limited()...)
	s.Admit(admission.Chain{Validators: []admission.Validator{quota.New(s.Access())}})
	hard := map[string]any{"hard": map[string]any{"secrets": "1000000000"}}
	_, err := s.Create(b.Context(), inTeam("", "resourcequotas", ""), named("q", "spec", hard), WriteOptions{})
	require.NoError(b, err)
	var i atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Create(b.Context(), inTeam("", "secrets", ""), named(fmt.Sprint("s", i.Add(1))), WriteOptions{}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkCount counts what there is in a namespace, as it is done when a quota is new.
func BenchmarkCount(b *testing.B) {
	const objects = 5000
	for _, plural := range []string{"secrets", "pods"} {
		b.Run(fmt.Sprint(objects, " ", plural), func(b *testing.B) {
			s := newWorld(b, limited()...)
			spec := map[string]any{"containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": "100m"}}}}}
			for i := range objects {
				_, err := s.Create(b.Context(), inTeam("", plural, ""), named(fmt.Sprint("o", i), "spec", spec), WriteOptions{})
				require.NoError(b, err)
			}
			hard := map[string]any{"hard": map[string]any{plural: "1000000000"}}
			_, err := s.Create(b.Context(), inTeam("", "resourcequotas", ""), named("q", "spec", hard), WriteOptions{})
			require.NoError(b, err)
			enforcer := quota.New(s.Access())
			req := &admission.Request{
				Operation: admission.Create, Resource: object.GroupVersionResource{Version: "v1", Resource: plural},
				Namespace: "team", DryRun: true, Object: named("new", "spec", spec),
			}
			for b.Loop() {
				b.StopTimer()
				stale := map[string]any{"status": nil}
				_, err := s.Patch(b.Context(), Target{Resource: quotas, Subresource: "status", Namespace: "team", Name: "q"}, apply.MergePatch, object.AppendJSON(nil, stale), WriteOptions{})
				require.NoError(b, err)
				b.StartTimer()
				require.NoError(b, enforcer.Validate(b.Context(), req))
			}
		})
	}
}
