package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
)

func TestNamesOfFieldsInRules(t *testing.T) {
	for field, name := range map[string]string{
		"plain": "plain", "_x": "_x", "a_b": "a_b",
		"a-b": "a__dash__b", "a.b": "a__dot__b", "a/b": "a__slash__b",
		"a__b": "a__underscores__b", "a___b": "a__underscores___b",
		"in": "__in__", "namespace": "__namespace__", "int": "int",
		"-": "__dash__", "__dash__": "__underscores__dash__underscores__",
	} {
		escaped, ok := rules.Escape(field)
		require.True(t, ok, field)
		require.Equal(t, name, escaped)
		unescaped, ok := rules.Unescape(name)
		require.True(t, ok, name)
		require.Equal(t, field, unescaped)
	}
	for _, field := range []string{"", "1a", "a!b", "ä", "$ref"} {
		_, ok := rules.Escape(field)
		require.False(t, ok, field)
	}
	for _, name := range []string{"__other__", "x__in__", "a__b__c"} {
		_, ok := rules.Unescape(name)
		require.False(t, ok, name)
	}
}

func FuzzNames(f *testing.F) {
	for _, field := range []string{"a-b", "in", "a__b_", "___", "__in__", "x.y/z"} {
		f.Add(field)
	}
	f.Fuzz(func(t *testing.T, field string) {
		name, ok := rules.Escape(field)
		if !ok {
			return
		}
		again, ok := rules.Unescape(name)
		require.True(t, ok, name)
		require.Equal(t, field, again)
	})
}
