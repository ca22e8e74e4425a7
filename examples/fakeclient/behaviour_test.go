package fakeclient

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// behaviour is one thing to try, and what comes of it.
type behaviour struct {
	tried string
	try   func(p *probe) string
	api   string
	fake  string
}

// topic is what some behaviours are about.
type topic struct {
	name       string
	behaviours []behaviour
}

func topics() []topic {
	return []topic{
		{"What the server fills in", filledIn()},
		{"Resource versions and conflicts", versions()},
		{"Generation and status", generations()},
		{"Server-side apply and ownership", applying()},
		{"Patches", patching()},
		{"Schemas: defaults, pruning, validation, CEL", schemas()},
		{"Checks of metadata and of built-in kinds", checks()},
		{"Finalizers and deletion", deleting()},
		{"Garbage collection and namespaces", collecting()},
		{"Lists: selectors and paging", listing()},
		{"Watches", watching()},
		{"Subresources", subresources()},
		{"Dry runs", dryRuns()},
	}
}

var (
	cluster = flag.String("cluster", "", "`KUBECONFIG` of a real cluster, to be asked too")
	rewrite = flag.Bool("rewrite", false, "write the table of docs/fakeclients.md anew")
)

func TestBehaviours(t *testing.T) {
	world := prepare(t)
	for _, topic := range topics() {
		for _, b := range topic.behaviours {
			t.Run(topic.name+"/"+b.tried, func(t *testing.T) {
				t.Parallel()
				require.NotEqual(t, b.api, b.fake)
				synctest.Test(t, func(t *testing.T) { require.Equal(t, b.api, b.try(inProcess(t, world)), "the API") })
				synctest.Test(t, func(t *testing.T) { require.Equal(t, b.fake, b.try(faked(t)), "the fake client") })
			})
		}
	}
}

func TestBehavioursOfARealServer(t *testing.T) {
	if *cluster == "" {
		t.Skip("no -cluster was given")
	}
	c := connect(t, *cluster)
	for _, topic := range topics() {
		for _, b := range topic.behaviours {
			t.Run(topic.name+"/"+b.tried, func(t *testing.T) {
				require.Equal(t, b.api, b.try(c.probe(t)))
			})
		}
	}
}

func TestTheTableOfTheDocumentation(t *testing.T) {
	const begin, end = "<!-- table -->\n", "<!-- end -->\n"
	path := filepath.Join("..", "..", "docs", "fakeclients.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, _ := strings.Cut(string(text), begin)
	_, tail, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no place for the table", path)
	want := head + begin + table() + end + tail
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "make it anew with -rewrite")
}

func table() string {
	var b strings.Builder
	for _, topic := range topics() {
		fmt.Fprintf(&b, "\n### %s\n\n| tried | the API | the fake client |\n|---|---|---|\n", topic.name)
		for _, one := range topic.behaviours {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(one.tried), cell(one.api), cell(one.fake))
		}
	}
	return b.String() + "\n"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
