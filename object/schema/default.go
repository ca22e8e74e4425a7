package schema

// SetDefaults sets, in place, the fields of an object that are absent and have a
// default, at every nesting: in what defaults bring along too, and in the items of
// lists. A null where the schema allows none counts as absent. It sets nothing inside
// of an object that is absent itself and has no default. Doing it again changes
// nothing.
//
// The API does so after [Schema.Prune] and [Schema.PruneNulls] with what it is sent,
// and again with what it reads from its store.
func (s *Schema) SetDefaults(value any) {
	if !s.HasDefaults() {
		return
	}
	switch v := plain(value).(type) {
	case map[string]any:
		s.defaultProperties(v)
		if extra := s.Additional(); extra.HasDefaults() {
			s.defaultAdditional(v, extra)
		}
	case []any:
		if !s.Items.HasDefaults() {
			return
		}
		for i := range v {
			if v[i] == nil && !s.Items.Nullable {
				v[i] = clone(s.Items.Default)
			}
			s.Items.SetDefaults(v[i])
		}
	}
}

func (s *Schema) defaultProperties(m map[string]any) {
	for i := range s.Properties {
		name, sub := s.Properties[i].Name, s.Properties[i].Schema
		if !sub.HasDefaults() {
			continue
		}
		v, ok := m[name]
		if sub.Default != nil && (!ok || v == nil && !sub.Nullable) {
			v = clone(sub.Default)
			m[name] = v
		}
		sub.SetDefaults(v)
	}
}

func (s *Schema) defaultAdditional(m map[string]any, extra *Schema) {
	for name, v := range m {
		if property(s.Properties, name) != nil {
			continue
		}
		if v == nil && !extra.Nullable {
			v = clone(extra.Default)
			m[name] = v
		}
		extra.SetDefaults(v)
	}
}

// PruneNulls removes, in place, the fields of objects that are null where the schema
// allows no null, unless there is a default: [Schema.SetDefaults] replaces those.
// Nulls in lists stay.
func (s *Schema) PruneNulls(value any) {
	if s == nil {
		return
	}
	switch v := plain(value).(type) {
	case map[string]any:
		for name, x := range v {
			switch x.(type) {
			case nil:
				if sub := s.Field(name); sub != nil && !sub.Nullable && sub.Default == nil {
					delete(v, name)
				}
			case map[string]any, []any:
				s.Field(name).PruneNulls(x)
			}
		}
	case []any:
		for i := range v {
			s.Items.PruneNulls(v[i])
		}
	}
}

// clone copies a value of a document.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, x := range v {
			m[name] = clone(x)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = clone(v[i])
		}
		return list
	}
	return v
}
