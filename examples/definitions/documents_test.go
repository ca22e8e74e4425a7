package definitions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// document is one object of a file. Its name is the path in the module and, after
// a number sign, its place in the file.
type document struct {
	name   string
	object map[string]any
}

// documents gives the objects in files and folders of a module, in order. Those
// that are no YAML (templates) or no objects are passed over.
func (s *source) documents(t *testing.T, paths []string) []document {
	t.Helper()
	root := s.folder(t)
	var all []document
	for _, path := range paths {
		err := filepath.WalkDir(filepath.Join(root, path), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			found, err := readDocuments(path, filepath.ToSlash(name))
			all = append(all, found...)
			return err
		})
		require.NoError(t, err, "reading %s", s.module)
	}
	return all
}

func readDocuments(path, name string) ([]document, error) {
	texts, err := texts(path)
	if err != nil {
		return nil, err
	}
	var found []document
	for i, text := range texts {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			continue
		}
		var o map[string]any
		if decode(bytes.NewReader(data), &o) == nil && object.Object(o).Kind() != "" {
			found = append(found, document{fmt.Sprintf("%s#%d", name, i), o})
		}
	}
	return found, nil
}

var (
	separator = regexp.MustCompile(`(?m)^---.*\n?`)
	fenced    = regexp.MustCompile("(?ms)^```ya?ml\n(.*?)^```")
	inHTML    = regexp.MustCompile(`(?s)<code class="language-yaml">(.*?)</code>`)
)

// texts gives the YAML documents of a YAML file, or of a page that shows some.
func texts(path string) ([]string, error) {
	ext := filepath.Ext(path)
	if ext != ".yaml" && ext != ".yml" && ext != ".md" && ext != ".html" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	blocks := []string{string(data)}
	switch ext {
	case ".md":
		blocks = shown(fenced, string(data))
	case ".html":
		blocks = shown(inHTML, html.UnescapeString(string(data)))
	}
	return separator.Split(strings.Join(blocks, "\n---\n"), -1), nil
}

func shown(block *regexp.Regexp, page string) []string {
	var all []string
	for _, match := range block.FindAllStringSubmatch(page, -1) {
		all = append(all, match[1])
	}
	return all
}

// decode reads JSON and keeps numbers as they are written: 1 and 1.0 are to be told apart.
func decode(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	return d.Decode(into)
}
