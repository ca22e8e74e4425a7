package object

import "fmt"

// ManagedFields are a copy; entries that are no maps are left out, and times that
// are malformed are nil.
func (o Object) ManagedFields() []ManagedFieldsEntry {
	list, _ := o.Metadata()["managedFields"].([]any)
	var out []ManagedFieldsEntry
	for _, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		entry := ManagedFieldsEntry{
			Manager:     stringAt(m, "manager"),
			Operation:   stringAt(m, "operation"),
			APIVersion:  stringAt(m, "apiVersion"),
			FieldsType:  stringAt(m, "fieldsType"),
			Subresource: stringAt(m, "subresource"),
		}
		if t := timeAt(m, "time"); !t.IsZero() {
			entry.Time = &Time{t}
		}
		if fields := m["fieldsV1"]; fields != nil {
			entry.FieldsV1 = AppendJSON(nil, fields)
		}
		out = append(out, entry)
	}
	return out
}

// SetManagedFields replaces all entries; none removes the field. FieldsV1 of each
// must be empty or JSON.
func (o Object) SetManagedFields(entries []ManagedFieldsEntry) error {
	if len(entries) == 0 {
		delete(o.Metadata(), "managedFields")
		return nil
	}
	list := make([]any, len(entries))
	for i, entry := range entries {
		m, err := entry.document()
		if err != nil {
			return fmt.Errorf("managed fields of %s in %s: %w", entry.Manager, o, err)
		}
		list[i] = m
	}
	o.EnsureMetadata()["managedFields"] = list
	return nil
}

// document gives the entry as it stands in an object.
func (e *ManagedFieldsEntry) document() (map[string]any, error) {
	m := map[string]any{}
	for _, text := range []struct{ name, value string }{
		{"manager", e.Manager},
		{"operation", e.Operation},
		{"apiVersion", e.APIVersion},
		{"fieldsType", e.FieldsType},
		{"subresource", e.Subresource},
	} {
		if text.value != "" {
			m[text.name] = text.value
		}
	}
	if e.Time != nil && !e.Time.IsZero() {
		m["time"] = e.Time.UTC().Format(timeLayout)
	}
	if len(e.FieldsV1) > 0 {
		fields, err := DecodeValue(e.FieldsV1)
		if err != nil {
			return nil, err
		}
		m["fieldsV1"] = fields
	}
	return m, nil
}
