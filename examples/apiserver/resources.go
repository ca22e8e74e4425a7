package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// description is one resource type in a file of resources.
type description struct {
	Group      string              `json:"group"`
	Versions   []string            `json:"versions"` // the preferred one first; all have the same form
	Kind       string              `json:"kind"`
	Plural     string              `json:"plural"`
	Scope      string              `json:"scope"` // Namespaced, if empty, or Cluster
	ShortNames []string            `json:"shortNames"`
	Categories []string            `json:"categories"`
	Status     bool                `json:"status"`  // whether status is a subresource
	Columns    []columnDescription `json:"columns"` // in front of the age
}

type columnDescription struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // string, if empty, or integer, number, boolean or date
	Path        string `json:"path"` // into the object, with dots: spec.size
	Description string `json:"description"`
	Wide        bool   `json:"wide"` // shown in wide output only
}

// readResources reads a file of resource types.
func readResources(path string) ([]server.Resource, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading resource types: %w", err)
	}
	resources, err := parseResources(data)
	if err != nil {
		return nil, fmt.Errorf("reading resource types of %s: %w", path, err)
	}
	return resources, nil
}

// parseResources reads resource types in YAML or JSON:
//
//	resources:
//	- group: example.com
//	  versions: [v1]
//	  kind: Widget
//	  plural: widgets
//	  scope: Namespaced     # or Cluster
//	  shortNames: [w]
//	  categories: [all]
//	  status: true          # a subresource of its own
//	  columns:
//	  - {name: Size, type: integer, path: spec.size}
//	  - {name: Ready, path: status.ready, wide: true}
//
// Only versions, kind and plural must be there. The objects are free documents.
func parseResources(data []byte) ([]server.Resource, error) {
	data, duplicates, err := yaml.ToJSONStrict(data)
	if err != nil {
		return nil, err
	}
	if len(duplicates) > 0 {
		return nil, fmt.Errorf("%s occurs twice", duplicates[0])
	}
	var file struct {
		Resources []description `json:"resources"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, err
	}
	resources := make([]server.Resource, len(file.Resources))
	for i, d := range file.Resources {
		if resources[i], err = d.resource(); err != nil {
			return nil, fmt.Errorf("resources[%d] (%s): %w", i, d.Kind, err)
		}
	}
	return resources, nil
}

func (d *description) resource() (server.Resource, error) {
	switch {
	case d.Kind == "":
		return server.Resource{}, errors.New("kind is missing")
	case d.Plural == "":
		return server.Resource{}, errors.New("plural is missing")
	case len(d.Versions) == 0:
		return server.Resource{}, errors.New("versions are missing")
	case d.Scope != "" && d.Scope != "Namespaced" && d.Scope != "Cluster":
		return server.Resource{}, fmt.Errorf("scope is Namespaced or Cluster, not %q", d.Scope)
	}
	columns, err := d.columns()
	if err != nil {
		return server.Resource{}, err
	}
	r := server.Resource{
		Group: d.Group, Kind: d.Kind, Plural: d.Plural, Namespaced: d.Scope != "Cluster",
		ShortNames: d.ShortNames, Categories: d.Categories, Generation: true,
	}
	for _, name := range d.Versions {
		r.Versions = append(r.Versions, server.Version{Name: name, Columns: columns})
	}
	if d.Status {
		r.Prepare = keepStatus
		r.Subresources = []server.Subresource{{
			Name: "status", Verbs: []string{"get", "patch", "update"},
			Rules: server.Rules{Prepare: keepAllButStatus},
		}}
	}
	return r, nil
}

// columns gives those described and the age; none if none are described.
func (d *description) columns() ([]server.Column, error) {
	if len(d.Columns) == 0 {
		return nil, nil
	}
	columns := make([]server.Column, 0, len(d.Columns)+1)
	for _, c := range d.Columns {
		column, err := c.column()
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		columns = append(columns, column)
	}
	return append(columns, server.Column{
		Name: "Age", Type: "date", Description: "How long ago the object was created.",
		Value: fieldValue("metadata.creationTimestamp", "date"),
	}), nil
}

func (c *columnDescription) column() (server.Column, error) {
	column := server.Column{Name: c.Name, Type: c.Type, Description: c.Description}
	if column.Type == "" {
		column.Type = "string"
	}
	switch {
	case c.Name == "":
		return column, errors.New("name is missing")
	case c.Path == "":
		return column, errors.New("path is missing")
	case !slices.Contains([]string{"string", "integer", "number", "boolean", "date"}, column.Type):
		return column, fmt.Errorf("type is string, integer, number, boolean or date, not %q", c.Type)
	}
	if c.Wide {
		column.Priority = 1
	}
	column.Value = fieldValue(c.Path, column.Type)
	return column, nil
}

// fieldValue reads a field for a column; nil if it is missing or of another type.
func fieldValue(path, columnType string) func(object.Object) any {
	names := strings.Split(strings.TrimPrefix(path, "."), ".")
	return func(o object.Object) any {
		v, _ := o.Field(names...)
		if cellFits(v, columnType) {
			return v
		}
		return nil
	}
}

func cellFits(v any, columnType string) bool {
	switch v.(type) {
	case string:
		return columnType == "string" || columnType == "date"
	case int64:
		return columnType == "integer" || columnType == "number"
	case float64:
		return columnType == "number"
	case bool:
		return columnType == "boolean"
	}
	return false
}

// keepStatus is for writes of the object, which leave the status alone.
func keepStatus(next, old object.Object) {
	delete(next, "status")
	if status, ok := old["status"]; ok {
		next["status"] = object.Object{"status": status}.DeepCopy()["status"]
	}
}

// keepAllButStatus is for writes of the status, which leave all else alone.
func keepAllButStatus(next, old object.Object) {
	status, hasStatus := next["status"]
	version := next.ResourceVersion()
	clear(next)
	for name, value := range old.DeepCopy() {
		next[name] = value
	}
	delete(next, "status")
	if hasStatus {
		next["status"] = status
	}
	next.SetResourceVersion(version)
}
