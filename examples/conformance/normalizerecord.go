package main

import (
	"fmt"
	"slices"
	"strings"
)

// records normalises everything a scenario observed.
func (n *Normaliser) records(raw []*StepRecord, globs func([]string) ([][]segment, error)) ([]*StepRecord, error) {
	for _, r := range raw {
		n.noteGenerated(r.Body)
		n.noteGenerated(r.YAML)
		n.noteGenerated(r.Events)
		n.noteGenerated(r.Received)
	}
	var out []*StepRecord
	for _, r := range raw {
		if r.hidden {
			continue
		}
		c, err := n.record(r, globs)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", r.Name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (n *Normaliser) record(r *StepRecord, globs func([]string) ([][]segment, error)) (*StepRecord, error) {
	reduce, only, err := n.reduction(r.step, globs)
	if err != nil {
		return nil, err
	}
	c := *r
	c.Error = n.str(r.Error)
	c.Warnings, c.Headers = nil, nil
	for _, w := range r.Warnings {
		c.Warnings = append(c.Warnings, n.str(w))
	}
	for k, vs := range r.Headers {
		if c.Headers == nil {
			c.Headers = map[string][]string{}
		}
		for _, v := range vs {
			c.Headers[k] = append(c.Headers[k], n.header(k, v))
		}
	}
	body, yaml := reduce(r.Body), reduce(r.YAML)
	if len(only) > 0 {
		c.Body, c.YAML = nil, nil
		c.Selected = n.selected(only, body, yaml)
	} else {
		c.Body, c.YAML = n.value("", body), n.value("", yaml)
	}
	if r.Text != nil {
		t := n.str(*r.Text)
		c.Text = &t
	}
	if r.Events != nil {
		c.Events, _ = n.value("", reduce(r.Events)).([]any)
	}
	if r.Received != nil {
		c.Received, _ = n.value("", reduce(r.Received)).([]any)
	}
	return &c, nil
}

// reduction gives what masks and drops the parts of a value that a step does not
// compare, and the globs of those that it compares alone, if it names any.
func (n *Normaliser) reduction(step *Step, globs func([]string) ([][]segment, error)) (reduce func(any) any, only [][]segment, err error) {
	if step == nil {
		step = &Step{}
	}
	ignore, err := globs(slices.Concat(n.ignore, step.Ignore))
	if err != nil {
		return nil, nil, err
	}
	if only, err = globs(step.Only); err != nil {
		return nil, nil, err
	}
	return func(v any) any {
		if v == nil {
			return nil
		}
		v = shape(deepCopy(v), func(rv string) string { return n.listRVToken(rv, step.ListRV) })
		if step.SortCauses {
			sortCauses(v)
		}
		for _, g := range ignore {
			var gone bool
			if v, gone = removeMatches(v, g); gone {
				return ignoredMark
			}
		}
		return v
	}, only, nil
}

// listRVToken is what stands for the resource version of a list, as the step wishes.
func (n *Normaliser) listRVToken(rv, wish string) string {
	switch wish {
	case "object":
		return rv
	case "keep":
		if n.listRV[rv] == "" {
			n.listRV[rv] = fmt.Sprintf("<listRV%d>", len(n.listRV)+1)
		}
		return n.listRV[rv]
	}
	return "<listRV>"
}

// selected gives the parts of an answer that the globs select, by their pointers; nil
// if there is no answer to look at.
func (n *Normaliser) selected(only [][]segment, body, yaml any) map[string]any {
	if body == nil && yaml == nil {
		return nil
	}
	found := map[string]any{}
	for _, root := range []any{body, yaml} {
		for _, g := range only {
			collectMatches(root, g, "", found)
		}
	}
	selected := map[string]any{}
	for _, p := range sortedKeys(found) {
		selected[n.str(p)] = n.value(lastSegment(p), found[p])
	}
	if len(selected) == 0 {
		selected["/"] = "<nothing selected>"
	}
	return selected
}

func lastSegment(p string) string {
	i := strings.LastIndexByte(p, '/')
	return unescapeSegment(p[i+1:])
}
