package definitions

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// source is where definitions and samples come from.
type source struct {
	name        string   // of the test, and of the file in testdata
	module      string   // its version stands in modules.txt
	definitions []string // files and folders of the module
	samples     []string // the same; none are published as files with every module
}

const chainsaw = "test/conformance/chainsaw/"

// sources is what is tried.
var sources = []source{
	{"gateway-api-standard", "sigs.k8s.io/gateway-api",
		[]string{"config/crd/standard"}, []string{"examples/standard", "hack/invalid-examples/standard"}},
	{"gateway-api-experimental", "sigs.k8s.io/gateway-api",
		[]string{"config/crd/experimental"}, []string{"examples", "hack/invalid-examples"}},
	{"cert-manager", "github.com/cert-manager/cert-manager",
		[]string{"deploy/crds"}, []string{"make/config", "test/fixtures", "design"}},
	{"prometheus-operator", "github.com/prometheus-operator/prometheus-operator",
		[]string{"example/prometheus-operator-crd"}, []string{"example", "Documentation"}},
	{"prometheus-operator-full", "github.com/prometheus-operator/prometheus-operator",
		[]string{"example/prometheus-operator-crd-full"}, []string{"example"}},
	{"kueue", "sigs.k8s.io/kueue",
		[]string{"config/components/crd/bases"}, []string{"cmd/kueueviz/examples", "test/performance", "keps"}},
	{"istio", "istio.io/api",
		[]string{"kubernetes/customresourcedefinitions.gen.yaml"},
		[]string{"extensions", "networking", "security", "telemetry", "type"}},
	{"cluster-api", "sigs.k8s.io/cluster-api",
		[]string{"core/config/crd/bases", "bootstrap/kubeadm/config/crd/bases", "controlplane/kubeadm/config/crd/bases",
			"cmd/clusterctl/config/crd/bases"}, []string{"docs"}},
	{"external-secrets", "github.com/external-secrets/external-secrets",
		[]string{"config/crds/bases"}, []string{"docs"}},
	{"kyverno", "github.com/kyverno/kyverno",
		[]string{"config/crds"}, []string{chainsaw + "validating-policies", chainsaw + "mutating-policies",
			chainsaw + "image-validating-policies", chainsaw + "deleting-policies", chainsaw + "policy-validation",
			chainsaw + "exceptions", chainsaw + "cleanup", chainsaw + "globalcontext"}},
	{"argo-workflows-minimal", "github.com/argoproj/argo-workflows/v4",
		[]string{"manifests/base/crds/minimal"}, []string{"examples"}},
	{"argo-workflows-full", "github.com/argoproj/argo-workflows/v4",
		[]string{"manifests/base/crds/full"}, []string{"examples", "test/e2e"}},
}

// sourceNamed is for tests of single kinds.
func sourceNamed(name string) *source {
	for i := range sources {
		if sources[i].name == name {
			return &sources[i]
		}
	}
	panic("no source " + name)
}

var moduleCache = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	return strings.TrimSpace(string(out)), err
})

// folder gives where the module lies, and skips the test if it does not.
func (s *source) folder(t *testing.T) string {
	t.Helper()
	module := s.pinned(t)
	cache, err := moduleCache()
	require.NoError(t, err, "asking for the module cache")
	dir := filepath.Join(cache, filepath.FromSlash(module))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not in the module cache", module)
	}
	return dir
}

// modules is one MODULE@VERSION a line, as go mod download takes them.
//
//go:embed modules.txt
var modules string

// pinned gives the module with its version.
func (s *source) pinned(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(modules) {
		if strings.HasPrefix(line, s.module+"@") {
			return strings.TrimSpace(line)
		}
	}
	require.Fail(t, "no version is pinned", s.module)
	return ""
}
