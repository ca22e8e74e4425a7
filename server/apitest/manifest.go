package apitest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// manifest is what a server begins with, in the order in which it is created.
type manifest struct {
	definitions, namespaces, others []object.Object
}

// kinds says which documents of a file count.
type kinds bool

const (
	everything      kinds = false
	definitionsOnly kinds = true
)

func (m *manifest) add(o object.Object) {
	switch o.GroupVersionKind().GroupKind() {
	case object.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:
		m.definitions = append(m.definitions, o)
	case object.GroupKind{Kind: "Namespace"}:
		m.namespaces = append(m.namespaces, o)
	default:
		m.others = append(m.others, o)
	}
}

// read adds the documents of the files that the paths name.
func (m *manifest) read(which kinds, fsys fs.FS, paths []string) error {
	for _, root := range paths {
		err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name != root && !isManifest(name) {
				return err
			}
			return m.readFile(which, fsys, name)
		})
		if err != nil {
			return fmt.Errorf("reading the manifests of %s: %w", root, err)
		}
	}
	return nil
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

func (m *manifest) readFile(which kinds, fsys fs.FS, name string) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	objects, err := parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, o := range objects {
		if which == definitionsOnly && !isDefinition(o) {
			continue
		}
		if o.Kind() == "" || o.APIVersion() == "" {
			return fmt.Errorf("%s: kind or apiVersion is missing in %s", name, o)
		}
		m.add(o)
	}
	return nil
}

// isDefinition tells definitions from what lies beside them in a folder: kustomizations, and
// the patches that these make to definitions.
func isDefinition(o object.Object) bool {
	_, ok := o.Field("spec", "versions")
	return ok && o.Kind() == "CustomResourceDefinition"
}

// parse reads the documents of a file; a List stands for its items.
func parse(data []byte) (objects []object.Object, err error) {
	for i, text := range documents(data) {
		o, err := yaml.Decode(text)
		if err == nil && len(o) > 0 {
			var found []object.Object
			found, err = itemsOf(o)
			objects = append(objects, found...)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
	}
	return objects, nil
}

// itemsOf gives the items of a List, and any other object as it is.
func itemsOf(o object.Object) ([]object.Object, error) {
	if o.Kind() != "List" {
		return []object.Object{o}, nil
	}
	list, _ := o["items"].([]any)
	items := make([]object.Object, len(list))
	for i, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("item %d of the List is no object", i)
		}
		items[i] = fields
	}
	return items, nil
}

// documents cuts a file at the lines that begin a document.
func documents(data []byte) (texts [][]byte) {
	start := 0
	for at := 0; at < len(data); {
		line := data[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0) {
			texts = append(texts, data[start:at])
			start = at
		}
		at += len(line)
	}
	return append(texts, data[start:])
}

// osFiles are the files of the operating system, by any path that it knows.
type osFiles struct{}

// Open implements [fs.FS].
func (osFiles) Open(name string) (fs.File, error) { return os.Open(name) }
