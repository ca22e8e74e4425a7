package apitest_test

import (
	"embed"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// widgets names the collection that these examples are about.
var widgets = server.Target{
	Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
	Namespace: "default",
}

func Example() {
	_ = func(t *testing.T) { // TestWidgets
		srv := apitest.New(t, apitest.CRDs("config/crd"), apitest.Manifests("testdata/world.yaml"))
		startController(t, srv)
		if _, err := srv.Create(t.Context(), widgets, object.Object{"metadata": map[string]any{"name": "a"}}, server.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		a := widgets
		a.Name = "a"
		_, err := srv.WaitFor(t.Context(), a, func(o object.Object) bool {
			phase, _ := o.Field("status", "phase")
			return phase == "Ready"
		})
		if err != nil {
			t.Fatal(err) // with the last state of the widget, and its history
		}
	}
}

// startController stands for what is tested: it gets srv.URL(), or srv.Transport().
func startController(*testing.T, *apitest.Server) {}

func ExampleSnapshot_Fork() {
	_ = func(t *testing.T) { // TestReconcile
		world := apitest.New(t, apitest.CRDs("config/crd"), apitest.Manifests("testdata/world.yaml")).Snapshot()
		for name, color := range map[string]string{"red": "#f00", "green": "#0f0"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				srv := world.Fork(t) // its own copy, in half a millisecond
				_, err := srv.Create(t.Context(), widgets,
					object.Object{"metadata": map[string]any{"name": name}, "spec": map[string]any{"color": color}}, server.WriteOptions{})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func ExampleServer_Inject() {
	_ = func(t *testing.T, srv *apitest.Server) {
		// The next two updates of a widget lose a race.
		srv.Inject(apitest.Fault{Verb: "update", Resource: "widgets", Status: 409, Count: 2})

		// Every watch breaks after ten events, and the first that comes back is too late.
		srv.Inject(apitest.Fault{Verb: "watch", Skip: 1, Count: 1, Status: 410})
		srv.Inject(apitest.Fault{Verb: "watch", Drop: true, Events: 10})

		// What is read is what is there now, for a while.
		stale := srv.Inject(apitest.Fault{Resource: "widgets", Stale: true})
		defer stale.Remove()
	}
}

func ExampleServer_Quiet() {
	_ = func(t *testing.T) { // TestNothingHappensAllDay
		synctest.Test(t, func(t *testing.T) {
			srv := apitest.New(t, apitest.CRDs("config/crd"))
			startController(t, srv)
			if err := srv.Quiet(t.Context(), time.Second); err != nil {
				t.Fatal(err) // tells who wrote what last
			}
			version := srv.Version()
			time.Sleep(24 * time.Hour) // which takes no time in a bubble
			if srv.Version() != version {
				t.Fatal("somebody writes when there is nothing to do")
			}
		})
	}
}

func ExampleServer_History() {
	_ = func(t *testing.T, srv *apitest.Server) {
		a := widgets
		a.Name = "a"
		history, err := srv.History(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(history)
		// 9  10:04:05.000  created by kubectl
		// 10  10:04:05.002  updated (status) by widget-controller
		//     + status.phase: "Ready"
		// 11  10:04:06.010  updated by kubectl
		//     spec.size: 1 -> 2

		before, err := srv.At(history[0].Version).Get(t.Context(), a) // as it was then
		if err != nil {
			t.Fatal(err)
		}
		t.Log(apitest.Diff(before, history[2].Object))
	}
}

func ExampleManifestsFS() {
	var files embed.FS // go:embed testdata
	_ = func(t *testing.T) {
		apitest.New(t, apitest.CRDsFS(files, "testdata/crd"), apitest.ManifestsFS(files, "testdata/world.yaml"))
	}
}
