package server

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var (
	labelPattern     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	subdomainPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	kindPattern      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
)

// check says what is wrong with a description whose defaults are filled in.
func (r *Resource) check() error {
	switch {
	case !labelPattern.MatchString(r.Plural):
		return fmt.Errorf("plural %q is not a lower-case DNS label", r.Plural)
	case r.Group != "" && !subdomainPattern.MatchString(r.Group):
		return fmt.Errorf("group %q is not a DNS subdomain", r.Group)
	case !kindPattern.MatchString(r.Kind):
		return fmt.Errorf("kind %q is not a name in letters and digits", r.Kind)
	case !kindPattern.MatchString(r.ListKind):
		return fmt.Errorf("list kind %q is not a name in letters and digits", r.ListKind)
	case r.ListKind == r.Kind:
		return fmt.Errorf("kind and list kind are both %q", r.Kind)
	case !labelPattern.MatchString(r.Singular):
		return fmt.Errorf("singular %q is not a lower-case DNS label", r.Singular)
	case len(r.Versions) == 0:
		return errors.New("it has no versions")
	case r.TTL < 0:
		return fmt.Errorf("negative TTL %v", r.TTL)
	}
	for _, name := range r.ShortNames {
		if !labelPattern.MatchString(name) {
			return fmt.Errorf("short name %q is not a lower-case DNS label", name)
		}
	}
	if err := r.checkVersions(); err != nil {
		return err
	}
	return checkSubresources(r.Subresources)
}

func (r *Resource) checkVersions() error {
	seen := map[string]bool{}
	for _, v := range r.Versions {
		switch {
		case !labelPattern.MatchString(v.Name):
			return fmt.Errorf("version %q is not a lower-case DNS label", v.Name)
		case seen[v.Name]:
			return fmt.Errorf("version %s is there twice", v.Name)
		case (v.FromStored == nil) != (v.ToStored == nil):
			return fmt.Errorf("version %s converts in one direction only", v.Name)
		}
		seen[v.Name] = true
		if err := checkColumns(v.Columns); err != nil {
			return fmt.Errorf("version %s: %w", v.Name, err)
		}
		if err := checkSubresources(v.Subresources); err != nil {
			return fmt.Errorf("version %s: %w", v.Name, err)
		}
	}
	return nil
}

var columnTypes = []string{"string", "integer", "number", "boolean", "date"}

func (c *Column) check() error {
	switch {
	case c.Name == "":
		return errors.New("it has no name")
	case !slices.Contains(columnTypes, c.Type):
		return fmt.Errorf("%s: type %q is none of %v", c.Name, c.Type, columnTypes)
	case c.Value == nil:
		return fmt.Errorf("%s: it has no value function", c.Name)
	}
	return nil
}

func checkColumns(columns []Column) error {
	for i, c := range columns {
		if err := c.check(); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func checkSubresources(subresources []Subresource) error {
	seen := map[string]bool{}
	for _, sub := range subresources {
		switch {
		case !labelPattern.MatchString(sub.Name):
			return fmt.Errorf("subresource %q is not a lower-case DNS label", sub.Name)
		case seen[sub.Name]:
			return fmt.Errorf("subresource %s is there twice", sub.Name)
		case len(sub.Verbs) == 0:
			return fmt.Errorf("subresource %s has no verbs", sub.Name)
		}
		seen[sub.Name] = true
		for _, verb := range sub.Verbs {
			if verb != "get" && verb != "update" && verb != "patch" {
				return fmt.Errorf("subresource %s: verb %q is none of get, update and patch", sub.Name, verb)
			}
		}
		if sub.View == nil {
			continue
		}
		if err := checkColumns(sub.View.Columns); err != nil {
			return fmt.Errorf("subresource %s: %w", sub.Name, err)
		}
	}
	return nil
}

// clash says whether one of the resources stands where another one wants to be.
func clash(others []*Resource, r *Resource) error {
	for _, other := range others {
		if other.Group != r.Group {
			continue
		}
		switch {
		case other.Plural == r.Plural:
			return fmt.Errorf("resource %s of group %q is there already", r.Plural, r.Group)
		case other.Kind == r.Kind:
			return fmt.Errorf("resource %s of group %q: kind %s belongs to %s already", r.Plural, r.Group, r.Kind, other.Plural)
		}
	}
	return nil
}
