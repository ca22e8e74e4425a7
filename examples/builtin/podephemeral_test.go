package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContainersAreAddedToPodsThatRun(t *testing.T) {
	r := find(t, "Pod")
	endpoint := subresource(t, r, "ephemeralcontainers")
	const pod = `"containers":[{"name":"web","image":"web:1"}]`
	for _, c := range []struct{ name, before, after, failure string }{
		{"one more", ``, `[{"name":"debug","image":"tools:1","targetContainerName":"web"}]`, ""},
		{"the same again", `[{"name":"debug","image":"tools:1"}]`, `[{"name":"debug","image":"tools:1"}]`, ""},
		{"one less", `[{"name":"debug","image":"tools:1"}]`, `[]`,
			"spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be removed\n"},
		{"another image", `[{"name":"debug","image":"tools:1"}]`, `[{"name":"debug","image":"tools:2"}]`,
			"spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be changed\n"},
		{"a name that is taken", ``, `[{"name":"web","image":"tools:1"}]`, `spec.ephemeralContainers[0].name: Duplicate value: "web"`},
		{"no such target", ``, `[{"name":"debug","image":"tools:1","targetContainerName":"db"}]`, `spec.ephemeralContainers[0].targetContainerName: Not found: "db"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := func(ephemeral string) string {
				if ephemeral != "" {
					ephemeral = `,"ephemeralContainers":` + ephemeral
				}
				return `{"metadata":{"name":"p"},"spec":{` + pod + ephemeral + `}}`
			}
			_, errs := write(t, r, endpoint.Rules, spec(c.after), spec(c.before))
			require.Equal(t, c.failure, errs)
		})
	}
	next := decode(t, r, `{"metadata":{"name":"p","labels":{"a":"new"}},"spec":{"containers":[{"name":"web","image":"other"}],"ephemeralContainers":[{"name":"debug","image":"tools:1"}]}}`)
	old := decode(t, r, `{"metadata":{"name":"p","labels":{"a":"old"}},"spec":{`+pod+`}}`)
	endpoint.Prepare(next, old)
	require.Equal(t, map[string]string{"a": "old"}, next.Labels(), "nothing else changes")
	require.Equal(t, "web:1", text(list(next, "spec", "containers")[0].(map[string]any), "image"))
	require.Len(t, list(next, "spec", "ephemeralContainers"), 1)
}
