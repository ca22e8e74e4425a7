package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/jsonpath"
)

const shop = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: shop}, annotations: {note: first}}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - {name: web, image: "web:1", env: [{name: A, value: "1"}, {name: B, value: "2"}]}
      - {name: side, image: "side:1"}
`

const rackDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: racks.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: racks, kind: Rack}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              height: {type: integer, minimum: 1}
              tags: {type: array, items: {type: string}, x-kubernetes-list-type: set}
              slots:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, size: {type: integer}}
`

const rack = `
apiVersion: example.com/v1
kind: Rack
metadata: {name: rack}
spec: {height: 3, tags: [a, b], slots: [{name: top, size: 2}, {name: low}]}
`

// applied is what a test applies: a manifest, what is edited in it, and how an
// object shows which of the two it has.
type applied struct {
	object   string // TYPE/NAME, as kubectl prints it
	manifest string
	edits    *strings.Replacer
	show     string // a JSON path
	before   string // what it shows of the manifest,
	after    string // and of the edited one
	conflict string // the fields that another one would have to take for the edit
	merged   string // what it shows after the edited one came from another manager
}

var appliedKinds = []applied{
	{
		object: "deployment.apps/shop", manifest: shop,
		edits: strings.NewReplacer("web:1", "web:2", `{name: A, value: "1"}, `, "", ", annotations: {note: first}", ""),
		show:  "{.spec.template.spec.containers[*].image} {.spec.template.spec.containers[0].env[*].name} {.metadata.annotations.note}", before: "web:1 side:1 A B first", after: "web:2 side:1 B ",
		conflict: `conflict with "kubectl": .spec.template.spec.containers[name="web"].image`,
		merged:   "web:2 side:1 A B first",
	},
	{
		object: "service/shop", manifest: `
apiVersion: v1
kind: Service
metadata: {name: shop, labels: {app: shop}}
spec: {selector: {app: shop}, ports: [{name: http, port: 80, targetPort: http}, {name: tls, port: 443}]}
`,
		edits: strings.NewReplacer("targetPort: http", "targetPort: web", "{name: tls, port: 443}", "{name: alt, port: 8080}"),
		show:  "{.spec.ports[*].name} {.spec.ports[0].targetPort}", before: "http tls http", after: "http alt web",
		conflict: `conflict with "kubectl": .spec.ports[port=80,protocol="TCP"].targetPort`,
		merged:   "http tls alt web",
	},
	{
		object:   "configmap/shop",
		manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, labels: {app: shop}}\ndata: {a: \"1\", b: \"2\"}\n",
		edits:    strings.NewReplacer(`a: "1"`, `a: "3"`, `b: "2"`, `c: "4"`),
		show:     "{.data}", before: `{"a":"1","b":"2"}`, after: `{"a":"3","c":"4"}`,
		conflict: `conflict with "kubectl": .data.a`,
		merged:   `{"a":"3","b":"2","c":"4"}`,
	},
	{ // whose rules are one value
		object: "role.rbac.authorization.k8s.io/shop", manifest: `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: shop, labels: {app: shop}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}, {apiGroups: [apps], resources: [deployments], verbs: [get]}]
`,
		edits: strings.NewReplacer("[pods], verbs: [get]", "[pods], verbs: [list]", ", {apiGroups: [apps], resources: [deployments], verbs: [get]}", ""),
		show:  "{.rules[*].verbs[*]}", before: "get get", after: "list",
		conflict: `conflict with "kubectl": .rules`,
		merged:   "list",
	},
	{
		object: "rack.example.com/rack", manifest: rack,
		edits: strings.NewReplacer("height: 3", "height: 4", "[a, b]", "[b, c]", "{name: top, size: 2}", "{name: mid, size: 5}"),
		show:  "{.spec.height} {.spec.tags[*]} {.spec.slots[*].name}", before: "3 a b top low", after: "4 b c mid low",
		conflict: `conflict with "kubectl": .spec.height`,
		merged:   "4 a b c top mid low",
	},
}

// servingRacks is a server that has the definition of the racks.
func servingRacks(t *testing.T) *runningServer {
	s := startServer(t)
	k := newKubectl(t, s)
	require.Equal(t, "customresourcedefinition.apiextensions.k8s.io/racks.example.com serverside-applied\n",
		k.run("apply", "--server-side", "-f", k.file("definition.yaml", rackDefinition)))
	require.Eventually(t, func() bool {
		return k.command("get", "racks").Run() == nil
	}, 30*time.Second, 50*time.Millisecond)
	return s
}

// manifests gives those of all kinds, edited or not.
func manifests(edited bool) string {
	var all []string
	for _, kind := range appliedKinds {
		manifest := kind.manifest
		if edited {
			manifest = kind.edits.Replace(manifest)
		}
		all = append(all, manifest)
	}
	return strings.Join(all, "---\n")
}

// each gives a line for each kind: of an object and of what value gives.
func each(value func(applied) string) string {
	var all strings.Builder
	for _, kind := range appliedKinds {
		all.WriteString(kind.object + " " + value(kind) + "\n")
	}
	return all.String()
}

func eachSays(text string) string { return each(func(applied) string { return text }) }

// shown gives a line for each kind: of an object and of what it shows, and another
// JSON path with it.
func (k *kubectl) shown(file, more string) string {
	k.Helper()
	var list struct{ Items []any }
	require.NoError(k, json.Unmarshal([]byte(k.run("get", "-f", file, "--show-managed-fields", "-o", "json")), &list))
	return each(func(kind applied) string {
		path, text := jsonpath.New("").AllowMissingKeys(true), &strings.Builder{}
		require.NoError(k, path.Parse(kind.show+more))
		require.NoError(k, path.Execute(text, list.Items[0]))
		list.Items = list.Items[1:]
		return text.String()
	})
}

func TestKubectlApply(t *testing.T) {
	s := servingRacks(t)
	t.Run("changes and removes fields of all kinds", func(t *testing.T) {
		k := newKubectl(t, s)
		before, after := k.file("before.yaml", manifests(false)), k.file("after.yaml", manifests(true))
		require.Equal(t, eachSays("created"), k.run("apply", "-f", before))
		require.Equal(t, each(func(a applied) string { return a.before }), k.shown(before, ""))
		require.Equal(t, eachSays("labeled"), k.run("label", "-f", before, "by=another"))
		require.Equal(t, eachSays("unchanged"), k.run("apply", "-f", before))
		require.Equal(t, eachSays("configured"), k.run("apply", "-f", after))
		require.Equal(t, each(func(a applied) string { return a.after + "another" }), k.shown(after, "{.metadata.labels.by}"), "what others set stays")
	})
	t.Run("creates what is missing and prunes what is not in the file any more", func(t *testing.T) {
		k := newKubectl(t, s)
		both := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stays, labels: {set: pruned}}\n---\n" +
			"apiVersion: v1\nkind: Secret\nmetadata: {name: goes, labels: {set: pruned}}\nstringData: {a: b}\n"
		one, _, _ := strings.Cut(both, "---")
		prune := []string{"apply", "--prune", "-l", "set=pruned", "--prune-allowlist=core/v1/ConfigMap", "--prune-allowlist=core/v1/Secret", "-f"}
		require.Equal(t, "configmap/stays created\n", k.run("apply", "-f", k.file("one.yaml", one)))
		require.Equal(t, "configmap/stays unchanged\nsecret/goes created\n", k.run(append(prune, k.file("both.yaml", both))...))
		require.Equal(t, "configmap/stays unchanged\nsecret/goes pruned\n", k.run(append(prune, k.file("one.yaml", one))...))
		require.Equal(t, "configmap/stays\n", k.run("get", "cm,secrets", "-l", "set=pruned", "-o", "name"))
	})
	t.Run("remembers in an annotation what it applied", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: remembered}\ndata: {a: \"1\"}\n")
		k.run("create", "--save-config", "-f", f)
		require.Equal(t, "configmap/remembered unchanged\n", k.run("apply", "-f", f))
		require.Equal(t, "apiVersion: v1\ndata:\n  a: \"1\"\nkind: ConfigMap\nmetadata:\n  annotations: {}\n  name: remembered\n  namespace: default\n",
			k.run("apply", "view-last-applied", "configmap/remembered"))
		k.file("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: remembered}\ndata: {b: \"2\"}\n")
		require.Equal(t, "configmap/remembered configured\n", k.run("apply", "set-last-applied", "-f", f))
		require.Equal(t, `{"a":"1"}`, k.show("cm/remembered", "{.data}"))
		require.Equal(t, "configmap/remembered configured\n", k.run("apply", "-f", f))
		require.Equal(t, `{"a":"1","b":"2"}`, k.show("cm/remembered", "{.data}"), "a is not what was applied last")
	})
}

func TestKubectlServerSideApply(t *testing.T) {
	s := servingRacks(t)
	t.Run("merges what two managers say of all kinds", func(t *testing.T) {
		k := newKubectl(t, s)
		before, after := k.file("before.yaml", manifests(false)), k.file("after.yaml", manifests(true))
		done := eachSays("serverside-applied")
		require.Equal(t, done, k.run("apply", "--server-side", "-f", before))
		refused := k.fail("apply", "--server-side", "--field-manager=other", "-f", after)
		for _, kind := range appliedKinds {
			require.Contains(t, refused, "Apply failed with 1 conflict: "+kind.conflict+"\n")
		}
		require.Equal(t, each(func(a applied) string { return a.before }), k.shown(before, ""))
		require.Equal(t, done, k.run("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", after))
		require.Equal(t, each(func(a applied) string { return a.merged + "kubectl Apply, other Apply, " }), k.shown(before, managers))
		require.Equal(t, done, k.run("apply", "--server-side", "-f", after))
		require.Equal(t, each(func(a applied) string { return a.after }), k.shown(after, ""), "nobody says any more what was there before")
	})
	t.Run("takes over from apply on the client and hands back", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: handed}\ndata: {a: \"1\", b: \"2\"}\n")
		apply := func(content string, flags ...string) {
			k.file("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: handed}\ndata: "+content+"\n")
			k.run(append([]string{"apply", "-f", f}, flags...)...)
		}
		apply(`{a: "1", b: "2"}`)
		require.Equal(t, "kubectl-client-side-apply Update, ", k.show("cm/handed", managers))
		apply(`{a: "3", c: "4"}`, "--server-side")
		require.Equal(t, `{"a":"3","c":"4"}`, k.show("cm/handed", "{.data}"), "no conflict, and b is gone")
		require.Equal(t, "kubectl-last-applied Apply, kubectl Apply, ", k.show("cm/handed", managers))
		require.Contains(t, k.run("apply", "view-last-applied", "cm/handed"), "data:\n  a: \"3\"\n  c: \"4\"\n", "the annotation follows")
		apply(`{a: "5"}`)
		require.Equal(t, `{"a":"5"}`, k.show("cm/handed", "{.data}"))
		require.Contains(t, k.show("cm/handed", managers), "kubectl-client-side-apply Update, ")
	})
	t.Run("writes nothing where nothing changes", func(t *testing.T) {
		k := newKubectl(t, s)
		manifest := strings.ReplaceAll(shop, "name: shop,", "name: still,")
		f, more := k.file("still.yaml", manifest), k.file("more.yaml", strings.ReplaceAll(manifest, "side:1", "side:2"))
		version := func() string { return k.show("deploy/still", "{.metadata.resourceVersion} {.metadata.managedFields}") }
		k.run("apply", "--server-side", "-f", f)
		before := version()
		require.Equal(t, "deployment.apps/still serverside-applied\n", k.run("apply", "--server-side", "-f", f))
		require.Equal(t, "deployment.apps/still serverside-applied (server dry run)\n", k.run("apply", "--server-side", "--dry-run=server", "-f", more))
		require.Equal(t, before, version())
	})
	t.Run("shows who owns what", func(t *testing.T) {
		k := newKubectl(t, s)
		k.run("apply", "--server-side", "-f", k.file("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owned}\ndata: {a: \"1\"}\n"))
		k.run("label", "cm", "owned", "x=y")
		require.NotContains(t, k.run("get", "cm", "owned", "-o", "yaml"), "managedFields")
		require.Regexp(t, `(?s)  managedFields:
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      f:data:
        f:a: {}
    manager: kubectl
    operation: Apply
    time: "[^"]*"
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata:
        f:labels:
          .: {}
          f:x: {}
    manager: kubectl-label
    operation: Update
    time: "[^"]*"
`, k.run("get", "cm", "owned", "-o", "yaml", "--show-managed-fields"))
	})
	t.Run("refuses", func(t *testing.T) {
		k := newKubectl(t, s)
		for name, tt := range map[string]struct{ document, message string }{
			"fields that a kind doesn't have": {
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: bad}, datum: {a: b}}",
				"failed to create typed patch object (default/bad; /v1, Kind=ConfigMap): .datum: field not declared in schema",
			},
			"two items with one key": {
				"{apiVersion: v1, kind: Service, metadata: {name: bad}, spec: {ports: [{port: 80}, {port: 80}]}}",
				`.spec.ports: duplicate entries for key [port=80,protocol="TCP"]`,
			},
			"what a schema doesn't allow": {
				"{apiVersion: example.com/v1, kind: Rack, metadata: {name: bad}, spec: {height: 0}}",
				"spec.height in body should be greater than or equal to 1",
			},
		} {
			require.Contains(t, k.fail("apply", "--server-side", "-f", k.file("bad.yaml", tt.document)), tt.message, name)
		}
	})
}

func TestKubectlDiff(t *testing.T) {
	s := startServer(t)
	for _, by := range []string{"client", "server"} {
		t.Run("on the "+by, func(t *testing.T) {
			t.Parallel()
			k := newKubectl(t, s)
			more := []string{"--server-side=" + strconv.FormatBool(by == "server"), "-f"}
			f := k.file("shop.yaml", strings.ReplaceAll(shop, "name: shop,", "name: by-"+by+","))
			require.Contains(t, k.diff(append(more, f)...), "+  name: by-"+by+"\n", "all is new")
			k.run(append([]string{"apply"}, append(more, f)...)...)
			require.Empty(t, k.run(append([]string{"diff"}, append(more, f)...)...))
			k.file("shop.yaml", strings.NewReplacer("name: shop,", "name: by-"+by+",", "side:1", "side:2", ", annotations: {note: first}", "").Replace(shop))
			found := k.diff(append(more, f)...)
			require.Contains(t, found, "-      - image: side:1\n+      - image: side:2\n")
			require.Contains(t, found, "-    note: first\n")
			require.Equal(t, "first", k.show("deploy/by-"+by, "{.metadata.annotations.note}"))
		})
	}
}

// managers is a JSON path.
const managers = "{range .metadata.managedFields[*]}{.manager} {.operation}, {end}"

// show gives a JSON path of an object, TYPE/NAME.
func (k *kubectl) show(object, path string) string {
	k.Helper()
	return k.run("get", object, "--show-managed-fields", "-o", "jsonpath="+path)
}

// diff gives the differences that a command finds.
func (k *kubectl) diff(args ...string) string {
	k.Helper()
	out, err := k.command(append([]string{"diff"}, args...)...).Output()
	var exit *exec.ExitError
	require.True(k, errors.As(err, &exit), "%v\n%s", err, out)
	require.Equal(k, 1, exit.ExitCode(), "%s%s", out, exit.Stderr)
	return string(out)
}
