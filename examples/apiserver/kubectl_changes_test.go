package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKubectlChanges is about the commands that read an object and send a patch or
// the whole back.
func TestKubectlChanges(t *testing.T) {
	s := servingRacks(t)
	k := newKubectl(t, s)
	k.run("apply", "-f", k.file("shop.yaml", shop+"---"+rack))
	images := "{.spec.template.spec.containers[*].image}"
	for _, tt := range []struct {
		name    string
		editor  string
		command []string
		message string
		object  string
		show    string
		want    string
	}{
		{
			name: "edit", editor: "sed -i 's/replicas: 2/replicas: 4/'", command: []string{"edit", "deploy/shop"},
			message: "deployment.apps/shop edited\n", object: "deploy/shop", show: "{.spec.replicas}", want: "4",
		}, {
			name: "edit without a change", editor: "true", command: []string{"edit", "deploy/shop"},
			message: "", object: "deploy/shop", show: "{.spec.replicas}", want: "4",
		}, {
			name: "edit of a custom resource", editor: "sed -i 's/height: 3/height: 5/'", command: []string{"edit", "rack", "rack"},
			message: "rack.example.com/rack edited\n", object: "rack/rack", show: "{.spec.height}", want: "5",
		}, {
			name: "scale", command: []string{"scale", "deploy/shop", "--replicas=3"},
			message: "deployment.apps/shop scaled\n", object: "deploy/shop", show: "{.spec.replicas}", want: "3",
		}, {
			name: "label", command: []string{"label", "deploy/shop", "app=other", "tier=front", "--overwrite"},
			message: "deployment.apps/shop labeled\n", object: "deploy/shop", show: "{.metadata.labels}", want: `{"app":"other","tier":"front"}`,
		}, {
			name: "annotate, taking away", command: []string{"annotate", "deploy/shop", "note-"},
			message: "deployment.apps/shop annotated\n", object: "deploy/shop", show: "{.metadata.annotations.note}", want: "",
		}, {
			name: "set image of one container", command: []string{"set", "image", "deploy/shop", "side=side:7"},
			message: "deployment.apps/shop image updated\n", object: "deploy/shop", show: images, want: "web:1 side:7",
		}, {
			name: "set env", command: []string{"set", "env", "deploy/shop", "-c", "web", "A-", "C=3"},
			message: "deployment.apps/shop env updated\n", object: "deploy/shop", show: "{.spec.template.spec.containers[0].env[*].name}", want: "B C",
		}, {
			name:    "strategic merge patch, by the names of containers",
			command: []string{"patch", "deploy/shop", "-p", `{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"},{"name":"new","image":"new:1"}]}}}}`},
			message: "deployment.apps/shop patched\n", object: "deploy/shop", show: images, want: "new:1 web:1",
		}, {
			name:    "strategic merge patch that changes nothing",
			command: []string{"patch", "deploy/shop", "--type=strategic", "-p", `{"spec":{"template":{"spec":{"containers":[{"name":"new","image":"new:1"}]}}}}`},
			message: "deployment.apps/shop patched (no change)\n", object: "deploy/shop", show: images, want: "new:1 web:1",
		}, {
			name: "JSON patch", command: []string{"patch", "deploy/shop", "--type=json", "-p", `[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"new:2"}]`},
			message: "deployment.apps/shop patched\n", object: "deploy/shop", show: images, want: "new:2 web:1",
		}, {
			name: "merge patch, which replaces lists", command: []string{"patch", "deploy/shop", "--type=merge", "-p", `{"spec":{"template":{"spec":{"containers":[{"name":"only","image":"only:1"}]}}}}`},
			message: "deployment.apps/shop patched\n", object: "deploy/shop", show: images, want: "only:1",
		}, {
			name: "replace", command: []string{"replace", "-f", "shop.yaml"},
			message: "deployment.apps/shop replaced\nrack.example.com/rack replaced\n", object: "deploy/shop", show: images, want: "web:1 side:1",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &kubectl{t, k.config, k.dir}
			t.Setenv("KUBE_EDITOR", tt.editor)
			require.Equal(t, tt.message, k.run(tt.command...))
			require.Equal(t, tt.want, k.show(tt.object, tt.show))
		})
	}
	t.Run("refusals", func(t *testing.T) {
		k := newKubectl(t, s)
		require.Contains(t, k.fail("patch", "rack", "rack", "--type=strategic", "-p", "{}"),
			"application/strategic-merge-patch+json is not supported by example.com/v1, Kind=Rack")
		require.Contains(t, k.fail("patch", "deploy", "shop", "--type=json", "-p", `[{"op":"test","path":"/spec/replicas","value":99}]`), "The request is invalid")
		require.Contains(t, k.fail("label", "deploy", "shop", "app=third"), "--overwrite is false")
		t.Setenv("KUBE_EDITOR", "sed -i 's/height: 3/height: none/'")
		require.Contains(t, k.fail("edit", "rack", "rack"), `racks.example.com "rack" is invalid`)
		stale := k.file("stale.yaml", strings.Replace(rack, "name: rack", `name: rack, resourceVersion: "1"`, 1))
		require.Contains(t, k.fail("replace", "-f", stale), "the object has been modified; please apply your changes to the latest version and try again")
	})
}
