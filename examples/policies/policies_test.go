package policies

import (
	"bytes"
	"crypto/tls"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

var (
	record = flag.String("record", "", "record what the server at `URL` says")
	token  = flag.String("token", "", "bearer `TOKEN` for that server")
)

// verdict is what is said of one document.
type verdict struct {
	place   string // file and number of the document in it
	message string // why it is refused; empty if it is accepted
}

func TestPolicies(t *testing.T) {
	for _, module := range []string{"sigs.k8s.io/gateway-api", "github.com/kyverno/kyverno"} {
		t.Run(module, func(t *testing.T) {
			file := filepath.Join("testdata", filepath.Base(module)+".txt")
			documents := documentsIn(t, folderOf(t, module))
			if *record != "" {
				write(t, file, documents)
			}
			recorded := read(t, file)
			require.Len(t, documents, len(recorded))
			var compiler policy.Compiler
			for i, d := range documents {
				require.Equal(t, recorded[i], verdict{d.place, refusal(&compiler, d.object)})
			}
		})
	}
}

// refusal is what the compiler says of a document.
func refusal(compiler *policy.Compiler, o object.Object) string {
	var errs object.FieldErrors
	switch o.Kind() {
	case "ValidatingAdmissionPolicy":
		_, errs = compiler.Compile(o)
	case "MutatingAdmissionPolicy":
		_, errs = compiler.CompileMutating(o)
	case "ValidatingAdmissionPolicyBinding":
		_, errs = policy.CompileBinding(o)
	case "MutatingAdmissionPolicyBinding":
		_, errs = policy.CompileMutatingBinding(o)
	}
	if len(errs) == 0 {
		return ""
	}
	return object.Invalid(o.GroupVersionKind().GroupKind(), o.Name(), errs).Error()
}

// folderOf gives where a module lies, and skips the test if it does not.
func folderOf(t *testing.T, module string) string {
	pinned, err := os.ReadFile("../definitions/modules.txt")
	require.NoError(t, err)
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	for _, line := range strings.Fields(string(pinned)) {
		if strings.HasPrefix(line, module+"@") {
			dir := filepath.Join(strings.TrimSpace(string(cache)), filepath.FromSlash(line))
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("%s is not in the module cache", line)
			}
			return dir
		}
	}
	t.Fatalf("modules.txt does not pin %s", module)
	return ""
}

// document is a policy or a binding, as one of the API.
type document struct {
	place  string
	object object.Object
}

// kinds are those of the API for those that are read.
var kinds = map[string]string{
	"ValidatingAdmissionPolicy": "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicyBinding",
	"MutatingAdmissionPolicy": "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding": "MutatingAdmissionPolicyBinding",
	"ValidatingPolicy": "ValidatingAdmissionPolicy", "NamespacedValidatingPolicy": "ValidatingAdmissionPolicy",
	"MutatingPolicy": "MutatingAdmissionPolicy", "NamespacedMutatingPolicy": "MutatingAdmissionPolicy",
}

// documentsIn reads the policies and bindings in the YAML files of a folder. What is no YAML, such
// as a template, or has no name is left out.
func documentsIn(t *testing.T, dir string) []document {
	var found []document
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("Policy")) {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for i, part := range strings.Split("\n"+string(data), "\n---") {
			o, err := yaml.Decode([]byte(part))
			if err != nil || o.Name() == "" || kinds[o.Kind()] == "" {
				continue
			}
			o.SetType(object.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: kinds[o.Kind()]})
			plain := object.Object{"metadata": map[string]any{"name": o.Name()}, "spec": o["spec"]}
			plain.SetType(o.GroupVersionKind().TypeMeta())
			found = append(found, document{filepath.ToSlash(name) + "#" + strconv.Itoa(i), plain})
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

// read reads what was recorded.
func read(t *testing.T, file string) []verdict {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var all []verdict
	for line := range strings.Lines(string(data)) {
		place, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if message != "" {
			message, err = strconv.Unquote(message)
			require.NoError(t, err, line)
		}
		all = append(all, verdict{place, message})
	}
	return all
}

// write records what a server says.
func write(t *testing.T, file string, documents []document) {
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // one's own
	var b strings.Builder
	for _, d := range documents {
		b.WriteString(d.place)
		if message := ask(t, &client, d.object); message != "" {
			b.WriteString(" " + strconv.Quote(message))
		}
		b.WriteByte('\n')
	}
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o666))
}

// ask creates a document as a dry run and gives the message if it was refused.
func ask(t *testing.T, client *http.Client, o object.Object) string {
	plural := strings.TrimSuffix(strings.ToLower(o.Kind()), "y") + "ies"
	if strings.HasSuffix(o.Kind(), "Binding") {
		plural = strings.ToLower(o.Kind()) + "s"
	}
	url := fmt.Sprintf("%s/apis/admissionregistration.k8s.io/v1/%s?dryRun=All", *record, plural)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(object.AppendJSON(nil, o)))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+*token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	var body bytes.Buffer
	_, err = body.ReadFrom(resp.Body)
	require.NoError(t, err)
	if resp.StatusCode == http.StatusCreated {
		return ""
	}
	status, err := object.Decode(body.Bytes())
	require.NoError(t, err)
	message, _ := status["message"].(string)
	return message
}
