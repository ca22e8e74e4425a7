package builtin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// TestTypesMergeAsTheirCommentsSay holds the tables of lists and atomic types to the
// markers in the sources of the types, for all that the served kinds contain.
func TestTypesMergeAsTheirCommentsSay(t *testing.T) {
	docs := sources{t: t, packages: map[string]map[string]*ast.TypeSpec{}, comments: map[*ast.TypeSpec]string{}}
	all, atomic, fields := lists(), atomicTypes(), atomicFields()
	for _, typ := range structsOf(t) {
		spec := docs.typeSpec(typ)
		markers := markersOf(docs.comments[spec])
		require.Equal(t, slices.Contains(markers["structType"], "atomic") || slices.Contains(markers["mapType"], "atomic"),
			atomic[typ], "%s", typ)
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			if len(field.Names) == 0 {
				continue
			}
			f, _ := typ.FieldByName(field.Names[0].Name)
			id, markers := schema.GoField{Type: typ, Field: f.Name}, markersOf(field.Doc.Text())
			if kind := markers["listType"]; kind != nil && f.Type.Kind() == reflect.Slice {
				require.Equal(t, schema.GoList{Type: kind[0], Keys: markers["listMapKey"]}, effective(all, id, f), "%s.%s", typ, f.Name)
			}
			if kind := slices.Concat(markers["mapType"], markers["structType"]); kind != nil {
				if atomic, ok := fields[id]; ok || kind[0] == "atomic" {
					require.Equal(t, kind[0] == "atomic", atomic, "%s.%s", typ, f.Name)
				}
			}
		}
	}
}

// effective is how a list merges by the table or else by the tags.
func effective(all map[schema.GoField]schema.GoList, id schema.GoField, f reflect.StructField) schema.GoList {
	if list, ok := all[id]; ok {
		return list
	}
	if !strings.Contains(f.Tag.Get("patchStrategy"), "merge") {
		return schema.GoList{Type: "atomic"}
	}
	if key := f.Tag.Get("patchMergeKey"); key != "" {
		return schema.GoList{Type: "map", Keys: []string{key}}
	}
	return schema.GoList{Type: "set"}
}

// structsOf gives the structs of k8s.io that the kinds of the table are made of.
func structsOf(t *testing.T) (structs []reflect.Type) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(typ.Elem())
		case reflect.Struct:
			if seen[typ] || specialSchemas()[typ] != nil || !strings.HasPrefix(typ.PkgPath(), "k8s.io/") {
				return
			}
			seen[typ] = true
			structs = append(structs, typ)
			for f := range typ.Fields() {
				visit(f.Type)
			}
		}
	}
	for _, r := range Resources() {
		for _, v := range r.Versions {
			// The codec is one of an unexported type that knows its own.
			visit(v.Codec.(interface{ goType() reflect.Type }).goType())
		}
	}
	return structs
}

// sources finds the declarations of types.
type sources struct {
	t        *testing.T
	packages map[string]map[string]*ast.TypeSpec
	comments map[*ast.TypeSpec]string
}

func (s sources) typeSpec(typ reflect.Type) *ast.TypeSpec {
	types, ok := s.packages[typ.PkgPath()]
	if !ok {
		types = s.parse(typ.PkgPath())
		s.packages[typ.PkgPath()] = types
	}
	require.NotNil(s.t, types[typ.Name()], "%s", typ)
	return types[typ.Name()]
}

func (s sources) parse(path string) map[string]*ast.TypeSpec {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	require.NoError(s.t, err, "%s", path)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "types.go"), nil, parser.ParseComments)
	require.NoError(s.t, err)
	types := map[string]*ast.TypeSpec{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				types[spec.Name.Name] = spec
				s.comments[spec] = group.Doc.Text()
			}
		}
	}
	return types
}

// markersOf gives the values of the markers in a comment, such as +listType=map.
func markersOf(comment string) map[string][]string {
	markers := map[string][]string{}
	for line := range strings.Lines(comment) {
		if marker, ok := strings.CutPrefix(strings.TrimSpace(line), "+"); ok {
			name, value, _ := strings.Cut(marker, "=")
			markers[name] = append(markers[name], value)
		}
	}
	return markers
}
