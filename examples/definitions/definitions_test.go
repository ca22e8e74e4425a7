package definitions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// verdict is what a server said to one document.
type verdict struct{ name, said string }

func TestDefinitions(t *testing.T) {
	for _, s := range sources {
		t.Run(s.name, func(t *testing.T) {
			if *record == "" {
				t.Parallel()
			}
			got := s.try(newClient(t))
			path := filepath.Join("testdata", s.name+".txt")
			if *record != "" {
				require.NoError(t, os.WriteFile(path, format(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, strings.Split(string(want), "\n"), strings.Split(string(format(got)), "\n"))
		})
	}
}

// try installs all definitions of a source and sends all samples of their kinds.
func (s *source) try(c *client) []verdict {
	c.Helper()
	definitions := slices.DeleteFunc(s.documents(c.T, s.definitions), func(d document) bool {
		return object.Object(d.object).Kind() != "CustomResourceDefinition"
	})
	require.NotEmpty(c, definitions, "the definitions are not where they are looked for")
	if *record != "" {
		defer c.remove(definitions)
	}
	start := time.Now()
	all := c.install(definitions)
	c.Logf("%d definitions installed in %v", len(definitions), time.Since(start))

	kinds := map[string]served{}
	for i, d := range definitions {
		for _, v := range versions(d.object) {
			kinds[v.GroupVersionKind.String()] = v
			all[i].said += " " + c.schemas(&v)
		}
	}
	for _, sample := range s.documents(c.T, s.samples) {
		if kind, ok := kinds[object.Object(sample.object).GroupVersionKind().String()]; ok {
			all = append(all, c.send(sample, &kind))
		}
	}
	return all
}

// schemas gives digests of what is published of a version.
func (c *client) schemas(v *served) string {
	c.Helper()
	c.requireDiscovered(v)
	return fmt.Sprintf("%s:%s,%s", v.Version,
		c.published(v, "/openapi/v3/apis/"+v.groupVersion(), "components", "schemas"),
		c.published(v, "/openapi/v2", "definitions"))
}

func format(all []verdict) []byte {
	var b strings.Builder
	for _, v := range all {
		fmt.Fprintf(&b, "%s: %s\n", v.name, v.said)
	}
	return []byte(b.String())
}
