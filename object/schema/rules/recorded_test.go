package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// recorded is a file of what the real server said about objects or definitions.
type recorded struct {
	schema object.Object
	cases  []recordedCase
}

type recordedCase struct {
	name                string
	schema, object, old object.Object
	errors, warnings    []string
	unordered           bool // the order of errors is that of a Go map in the real server
}

func readRecorded(t testing.TB, file string) recorded {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	doc, err := yaml.Decode(data)
	require.NoError(t, err)
	var r recorded
	r.schema = asObject(doc["schema"])
	for _, v := range doc["cases"].([]any) {
		c := asObject(v)
		one := recordedCase{
			schema: asObject(c["schema"]), object: asObject(c["object"]), old: asObject(c["old"]),
			errors: asTexts(c["errors"]), warnings: asTexts(c["warnings"]),
		}
		one.name, _ = c["name"].(string)
		one.unordered, _ = c["unordered"].(bool)
		r.cases = append(r.cases, one)
	}
	return r
}

func asObject(v any) object.Object {
	m, _ := v.(map[string]any)
	return m
}

func asTexts(v any) []string {
	list, _ := v.([]any)
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].(string)
	}
	return texts
}

func parseSchema(t testing.TB, doc object.Object) *schema.Schema {
	s, err := schema.Parse(doc)
	require.NoError(t, err)
	return s
}

func (c recordedCase) require(t *testing.T, errs object.FieldErrors) {
	texts := make([]string, len(errs))
	for i, e := range errs {
		texts[i] = e.Error()
	}
	if c.unordered {
		require.ElementsMatch(t, c.errors, texts)
	} else {
		require.Equal(t, c.errors, texts)
	}
}

func TestObjectsAsRecorded(t *testing.T) {
	var language expr.Language
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, ".definitions.yaml") {
			continue
		}
		r := readRecorded(t, file)
		s := parseSchema(t, r.schema)
		of := rules.For(&language, s)
		for _, c := range r.cases {
			t.Run(filepath.Base(file)+"/"+c.name, func(t *testing.T) {
				s.SetDefaults(map[string]any(c.object))
				var old any
				if c.old != nil {
					s.SetDefaults(map[string]any(c.old))
					old = map[string]any(c.old)
				}
				verdict := of.Validate(map[string]any(c.object), old, "", expr.Budget)
				c.require(t, verdict.Errors)
				require.ElementsMatch(t, c.warnings, verdict.Warnings)
			})
		}
	}
}

func TestDefinitionsAsRecorded(t *testing.T) {
	var language expr.Language
	files, err := filepath.Glob("testdata/*.definitions.yaml")
	require.NoError(t, err)
	for _, file := range files {
		for _, c := range readRecorded(t, file).cases {
			t.Run(filepath.Base(file)+"/"+c.name, func(t *testing.T) {
				const field = "spec.validation.openAPIV3Schema"
				s := parseSchema(t, c.schema)
				report := s.Check(field, schema.CheckOptions{DefaultRules: rules.Defaults(&language)})
				errs := append(report.Errors(), rules.Check(&language, s, field, &report, rules.CheckOptions{})...)
				c.require(t, errs)
			})
		}
	}
}
