package definitions

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// asKubectl makes this test binary be kubectl, so that every command is a process
// of its own, as for a user.
const asKubectl = "TEST_AS_KUBECTL"

func TestMain(m *testing.M) {
	if os.Getenv(asKubectl) == "" {
		os.Exit(m.Run())
	}
	if err := kubectlcmd.NewDefaultKubectlCommand().Execute(); err != nil {
		os.Exit(1)
	}
}

// kubectl gives what a command prints that must succeed..
func kubectl(t *testing.T, url string, args ...string) string {
	t.Helper()
	home := t.TempDir()
	c := exec.Command(os.Args[0], append([]string{"-s", url, "--cache-dir", filepath.Join(home, "cache")}, args...)...)
	c.Env = append(os.Environ(), asKubectl+"=1", "HOME="+home, "KUBECONFIG="+filepath.Join(home, "none"))
	out, err := c.CombinedOutput()
	require.NoError(t, err, "kubectl %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// applyEdited applies a manifest with another text in place of one, twice: the
// second time makes no new version, though kubectl, which doesn't know what stands
// in lists by default, may call that configured too.
func applyEdited(t *testing.T, url, resource, manifest, edit, edited string) {
	data, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.Contains(t, string(data), edit)
	path := filepath.Join(t.TempDir(), "edited.yaml")
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(data), edit, edited)), 0o600))

	version := func() string {
		return kubectl(t, url, "get", resource, "-o", "jsonpath={.items[*].metadata.resourceVersion}")
	}
	created := version()
	require.Contains(t, kubectl(t, url, "apply", "-f", path), " configured\n")
	applied := version()
	require.NotEqual(t, created, applied)
	require.Contains(t, kubectl(t, url, "get", resource, "-o", "yaml"), edited)
	kubectl(t, url, "apply", "-f", path)
	require.Equal(t, applied, version())
}

// TestKubectl has kubectl install definitions from the folder of their module, and
// create, show, change and explain objects of them. What explain prints was the same, to the
// byte, on kube-apiserver; its digest stands here.
func TestKubectl(t *testing.T) {
	tests := map[string]struct {
		source, definition string // a file or folder
		sample, created    string
		edit, edited       string // a text of the sample and what applying changes it to; none without a fixed name
		resource, table    string
		explained          string // a line of explain --recursive
		digest             string // of the whole
	}{
		"HTTPRoute": {
			source: "gateway-api-standard", definition: "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
			sample:  "examples/standard/http-routing/foo-httproute.yaml",
			created: "httproute.gateway.networking.k8s.io/foo-route created\n",
			edit:    "foo.example.com", edited: "bar.example.com",
			resource: "httproutes", table: `^NAME +HOSTNAMES +AGE\nfoo-route +\["foo.example.com"\] +\d+s\n$`,
			explained: "      sectionName\t<string>\n",
			digest:    "7af28c8ff6",
		},
		"ServiceMonitor": {
			source: "prometheus-operator", definition: "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
			sample:  "example/user-guides/getting-started/example-app-service-monitor.yaml",
			created: "servicemonitor.monitoring.coreos.com/example-app created\n",
			edit:    "port: web", edited: "port: metrics",
			resource: "smon", table: `^NAME +AGE\nexample-app +\d+s\n$`,
			explained: "    endpoints\t<[]Object> -required-\n",
			digest:    "13c4c9c38b",
		},
		"Workflow": {
			source: "argo-workflows-full", definition: "manifests/base/crds/full/argoproj.io_workflows.yaml",
			sample:   "examples/dag-diamond.yaml",
			created:  "workflow.argoproj.io/dag-diamond-",
			resource: "wf", table: `^NAME +STATUS +AGE +MESSAGE\ndag-diamond-\w+ +\n$`,
			explained: "    templates\t<[]Object>\n",
			digest:    "907774642e",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			source := sourceNamed(tt.source)
			root := source.folder(t)
			s := httptest.NewServer(newServer(t))
			t.Cleanup(s.Close)
			url := s.URL
			kubectl(t, url, "create", "-f", filepath.Join(root, tt.definition))
			c := &client{t, http.DefaultClient, url, nil}
			c.untilEstablished(object.Object(source.documents(t, []string{tt.definition})[0].object).Name())
			explained := kubectl(t, url, "explain", "--recursive", tt.resource)
			require.Contains(t, explained, tt.explained)
			require.Equal(t, tt.digest, digest(t, explained))

			require.Contains(t, kubectl(t, url, "create", "--validate=strict", "-f", filepath.Join(root, tt.sample)), tt.created)
			require.Regexp(t, tt.table, kubectl(t, url, "get", tt.resource))
			if tt.edit != "" {
				applyEdited(t, url, tt.resource, filepath.Join(root, tt.sample), tt.edit, tt.edited)
			}
			require.Contains(t, kubectl(t, url, "delete", "-f", filepath.Join(root, tt.definition)), "deleted")
		})
	}
}
