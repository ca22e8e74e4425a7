package plinth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed-6c0fa0ad/plinth"

// rules say what each package may import beside the standard library, and why not
// more. Packages of this module are named by their folders, others by the beginning
// of their paths.
var rules = map[string]struct{ imports, why string }{
	".":                        {"", "the root holds documentation only"},
	"object":                   {"", "the vocabulary imports nobody, so that everybody can import it"},
	"object/yaml":              {"object go.yaml.in/yaml/v2", "the one place for YAML; who needs none links none"},
	"object/quantity":          {"", "arithmetic of amounts, which CEL, quotas and limits share, is numbers alone"},
	"object/schema":            {"object", "one model of schemas; those who derive CEL, merge or OpenAPI types from it link what they need"},
	"object/schema/rules":      {"object object/schema object/schema/rules/expr github.com/google/cel-go", "rules need schemas and CEL; who has no rules links no CEL"},
	"object/schema/rules/expr": {"object object/quantity github.com/google/cel-go", "the language knows no schema, so that policies can use it for all objects"},
	"object/definition":        {"object object/schema object/schema/rules object/schema/rules/expr", "what a definition means, without a server; it links CEL, so nothing below it does"},
	"object/callout":           {"object", "the one place that calls webhooks; what only checks their addresses links no HTTP"},
	"storage":                  {"object", "the store knows documents and nothing of those who use it"},
	"storage/bolt":             {"object storage go.etcd.io/bbolt", "the one place for bbolt"},
	"storage/memory":           {"object storage", "a backend knows the contract only"},
	"storage/storagetest":      {"object storage github.com/stretchr/testify", "the contract as tests knows no backend"},
	"watch":                    {"object", "the four in the middle do not know one another: they meet as values, in server"},
	"apply":                    {"object object/schema sigs.k8s.io/structured-merge-diff/v4", "the one place for merging by owners; it knows neither the store nor who serves it"},
	"admission":                {"object", "the stages know requests, not where policies, webhooks or objects come from"},
	"admission/amounts":        {"object object/quantity", "what pods ask for is the same for quotas and limits"},
	"admission/guard":          {"admission object", "small stages know requests and what little they ask of a reader"},
	"admission/limits":         {"admission admission/amounts object object/quantity", "limits are values of objects that a reader gives, whoever stores them"},
	"admission/match":          {"admission object", "what matches a request needs no CEL"},
	"admission/policy":         {"admission admission/match object object/schema object/schema/rules object/schema/rules/expr github.com/google/cel-go", "policies speak the CEL of the API, with types from schemas; who has none links no CEL"},
	"admission/quota":          {"admission admission/amounts object object/quantity", "quotas are charged through small interfaces, whoever stores them"},
	"admission/webhook":        {"admission admission/match admission/policy object object/callout", "webhooks match and are conditioned as policies are, and patch through an interface; HTTPS is the standard library's"},
	"gc":                       {"object", "the four in the middle do not know one another: they meet as values, in server"},
	"server/apitest":           {"object object/definition object/yaml gc server storage storage/memory", "a kit for tests puts a server and a memory together, and brings no framework for tests"},
	"server":                   {"object object/callout object/yaml object/schema object/schema/rules/expr object/definition storage watch apply gc admission admission/guard admission/limits admission/match admission/policy admission/quota admission/webhook github.com/klauspost/compress/flate github.com/klauspost/compress/gzip google.golang.org/protobuf/encoding/protowire", "the HTTP API ties the packages together and brings no Kubernetes types"},
}

// forTests is what test files may import beyond the rules of their package: what
// checks, and an implementation to compare with. They may also import every package
// of this module but server.
const forTests = "github.com/stretchr/testify github.com/evanphx/json-patch/v5"

// file is one Go file of this module.
type file struct {
	path, folder string
	syntax       *ast.File
}

func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

func TestImports(t *testing.T) {
	for _, f := range goFiles(t) {
		rule, ok := rules[f.folder]
		if !ok {
			t.Errorf("%s: package %s has no rule; say in the table what it may import", f.path, f.folder)
			continue
		}
		for _, spec := range f.syntax.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if !allowed(path, rule.imports) && !(f.isTest() && allowedInTest(path, f.folder)) {
				t.Errorf("%s imports %s: %s", f.path, path, rule.why)
			}
		}
	}
}

func allowed(path, imports string) bool {
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") {
		return true // of the standard library
	}
	own, isOwn := folderOf(path)
	for _, name := range strings.Fields(imports) {
		if isOwn && own == name || !isOwn && (path == name || strings.HasPrefix(path, name+"/")) {
			return true
		}
	}
	return false
}

func allowedInTest(path, folder string) bool {
	if own, isOwn := folderOf(path); isOwn {
		return own != "server" || folder == "server"
	}
	return allowed(path, forTests)
}

// folderOf gives the folder of a package of this module.
func folderOf(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestModuleRequiresNothingOfKubernetes(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	require.NotRegexp(t, regexp.MustCompile(`(?m)^\s*(require )?k8s\.io/`), string(data),
		"the real clients and types belong to the nested module examples")
}

func TestEveryPackageIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if !f.isTest() {
			documented[f.folder] = documented[f.folder] || f.syntax.Doc.Text() != ""
		}
	}
	for folder, ok := range documented {
		require.True(t, ok, "package %s says nowhere what it is", folder)
	}
	for folder := range rules {
		require.Contains(t, documented, folder, "the table has a rule for a package that is not there")
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	later := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
	walk(t, func(path string) {
		switch filepath.Ext(path) {
		case ".go", ".md", ".yaml", ".mod":
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotRegexp(t, later, string(data), "%s: finish it, or write an issue", path)
		}
	})
}

// goFiles parses the files of this module, not of those nested in it.
func goFiles(t *testing.T) []file {
	var files []file
	walk(t, func(path string) {
		if filepath.Ext(path) != ".go" || nested(path) {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file{path, filepath.ToSlash(filepath.Dir(path)), syntax})
	})
	return files
}

// nested says whether a file belongs to a module within this one.
func nested(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// walk visits the files of the tree but hidden ones and test data.
func walk(t *testing.T, visit func(path string)) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case path != "." && strings.HasPrefix(d.Name(), "."), d.Name() == "testdata":
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !d.IsDir():
			visit(path)
		}
		return nil
	})
	require.NoError(t, err)
}
