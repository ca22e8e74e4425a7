package apitest

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestManifestsThatCannotBeRead(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"syntax.yaml": "a: [b", "kind.yaml": "apiVersion: v1\nmetadata: {name: a}", "list.yaml": "kind: List\napiVersion: v1\nitems: [1]",
		"second.yaml": "kind: A\napiVersion: v1\n---\n- 1", "text.json": `"a"`,
	} {
		files["dir/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	for path, want := range map[string]string{
		"dir/syntax.yaml": "dir/syntax.yaml: document 1: yaml: line 1: did not find expected ',' or ']'",
		"dir/kind.yaml":   "dir/kind.yaml: kind or apiVersion is missing in",
		"dir/list.yaml":   "dir/list.yaml: document 1: item 0 of the List is no object",
		"dir/second.yaml": "dir/second.yaml: document 2: ",
		"dir/text.json":   "dir/text.json: document 1: ",
		"dir/none.yaml":   "open dir/none.yaml: file does not exist",
	} {
		err := (&manifest{}).read(everything, files, []string{path})
		require.ErrorContains(t, err, "reading the manifests of "+path+": "+want)
	}
}

func TestDocumentsAreCutAtTheirSeparators(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            {""},
		"a: 1":                        {"a: 1"},
		"---\na: 1\n---\nb: 2\n":      {"", "---\na: 1\n", "---\nb: 2\n"},
		"a: |\n  ---\n---x: 1\n":      {"a: |\n  ---\n---x: 1\n"},
		"a: 1\r\n---\r\nb: 2":         {"a: 1\r\n", "---\r\nb: 2"},
		"a: 1\n--- # more\nb: 2\n---": {"a: 1\n", "--- # more\nb: 2\n", "---"},
	} {
		var got []string
		for _, document := range documents([]byte(text)) {
			got = append(got, string(document))
		}
		require.Equal(t, want, got, "%q", text)
	}
}

func FuzzManifest(f *testing.F) {
	for _, seed := range []string{"a: 1\n---\nkind: List\nitems: [{}]", "---", "- 1", "kind: A\napiVersion: v1", "\r\n--- \r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var whole []byte
		for _, document := range documents(data) {
			whole = append(whole, document...)
		}
		require.Equal(t, string(data), string(whole), "nothing is lost")
		_ = (&manifest{}).read(everything, fstest.MapFS{"f.yaml": {Data: data}}, []string{"f.yaml"})
	})
}
