package definition_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

func TestNamesAreAcceptedUnlessOthersHaveThem(t *testing.T) {
	wanted := definition.Names{Plural: "pins", Singular: "pin", Kind: "Pin", ListKind: "PinList"}
	for _, test := range []struct {
		name            string
		edits           []string
		others          []definition.Names
		accepted        definition.Names
		reason, message string // of the condition NamesAccepted
	}{
		{"no others", nil, nil, wanted, "NoConflicts", "no conflicts found"},
		{"others with other names", nil, []definition.Names{{Plural: "nails", Kind: "Nail"}}, wanted, "NoConflicts", "no conflicts found"},
		{"the plural is the short name of another", nil, []definition.Names{{ShortNames: []string{"pins"}}},
			definition.Names{Singular: "pin", Kind: "Pin", ListKind: "PinList"}, "PluralConflict", `"pins" is already in use`},
		{"the singular is the plural of another", nil, []definition.Names{{Plural: "pin"}},
			definition.Names{Plural: "pins", Kind: "Pin", ListKind: "PinList"}, "SingularConflict", `"pin" is already in use`},
		{"the kind is the list kind of another", nil, []definition.Names{{ListKind: "Pin"}},
			definition.Names{Plural: "pins", Singular: "pin", ListKind: "PinList"}, "KindConflict", `"Pin" is already in use`},
		{"of several conflicts the last is told", nil, []definition.Names{{Plural: "pins", Kind: "PinList"}},
			definition.Names{Singular: "pin", Kind: "Pin"}, "ListKindConflict", `"PinList" is already in use`},
		{"one short name is taken", []string{"kind: Pin}", "kind: Pin, shortNames: [a, b], categories: [all]}"}, []definition.Names{{Singular: "b"}},
			definition.Names{Plural: "pins", Singular: "pin", Kind: "Pin", ListKind: "PinList", Categories: []string{"all"}}, "ShortNamesConflict", `"b" is already in use`},
		{"several short names are taken", []string{"kind: Pin}", "kind: Pin, shortNames: [a, b]}"}, []definition.Names{{ShortNames: []string{"a", "b"}}},
			wanted, "ShortNamesConflict", `["a" is already in use, "b" is already in use]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := edited(t, test.edits...)
			require.True(t, definition.AcceptNames(o, test.others, start))
			require.Equal(t, test.accepted, definition.AcceptedNames(o))
			status := "False"
			if test.reason == "NoConflicts" {
				status = "True"
			}
			got, _ := definition.ConditionOf(o, "NamesAccepted")
			require.Equal(t, definition.Condition{Type: "NamesAccepted", Status: status, Reason: test.reason, Message: test.message}, got)
			require.False(t, definition.AcceptNames(o, test.others, start), "doing it again changes nothing")
		})
	}
}

func TestDefinitionsAreEstablishedByAcceptedNames(t *testing.T) {
	o := edited(t)
	require.False(t, definition.Establish(o, start), "names come first")
	taken := []definition.Names{{Plural: "pins"}}
	definition.AcceptNames(o, taken, start)
	established, _ := definition.ConditionOf(o, "Established")
	require.Equal(t, definition.Condition{Type: "Established", Status: "False", Reason: "NotAccepted", Message: "not all names are accepted"}, established)

	definition.AcceptNames(o, nil, start)
	established, _ = definition.ConditionOf(o, "Established")
	require.Equal(t, definition.Condition{Type: "Established", Status: "False", Reason: "Installing", Message: "the initial names have been accepted"}, established)

	require.True(t, definition.Establish(o, start))
	require.True(t, definition.IsTrue(o, "Established"))
	require.False(t, definition.Establish(o, start))
}

func TestAnEstablishedDefinitionStaysSoWhenItsNewNamesAreTaken(t *testing.T) {
	o := edited(t)
	definition.AcceptNames(o, nil, start)
	definition.Establish(o, start)
	next := edited(t, "kind: Pin}", "kind: Pin, singular: nail}")
	definition.Prepare(next, o)
	require.True(t, definition.AcceptNames(next, []definition.Names{{Plural: "nail"}}, start))
	require.False(t, definition.IsTrue(next, "NamesAccepted"))
	require.True(t, definition.IsTrue(next, "Established"))
	require.Equal(t, "pin", definition.AcceptedNames(next).Singular)
}

func TestTimesOfConditionsMoveWithTheStatusOnly(t *testing.T) {
	o := edited(t)
	at := func(i int) any {
		conditions, _ := o.Field("status", "conditions")
		return conditions.([]any)[i].(map[string]any)["lastTransitionTime"]
	}
	require.True(t, definition.SetCondition(o, definition.Condition{Type: "A", Status: "True"}, start))
	require.True(t, definition.SetCondition(o, definition.Condition{Type: "B", Status: "True"}, start))
	require.True(t, definition.SetCondition(o, definition.Condition{Type: "A", Status: "True", Reason: "Better"}, start.Add(time.Hour)))
	require.Equal(t, "2024-05-06T07:08:09Z", at(0))
	require.True(t, definition.SetCondition(o, definition.Condition{Type: "A", Status: "False", Reason: "Better"}, start.Add(time.Hour)))
	require.Equal(t, "2024-05-06T08:08:09Z", at(0))
	require.False(t, definition.SetCondition(o, definition.Condition{Type: "A", Status: "False", Reason: "Better"}, start.Add(2*time.Hour)))
	require.True(t, definition.RemoveCondition(o, "A"))
	require.False(t, definition.RemoveCondition(o, "A"))
	require.True(t, definition.IsTrue(o, "B"))
}

func TestConditionsTellOfSchemasAndApproval(t *testing.T) {
	o := edited(t, "size: {type: number}", "size: {}")
	require.True(t, definition.MarkSchema(o, start))
	got, _ := definition.ConditionOf(o, "NonStructuralSchema")
	require.Equal(t, definition.Condition{
		Type: "NonStructuralSchema", Status: "True", Reason: "Violations",
		Message: "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].type: Required value: must not be empty for specified object fields",
	}, got)
	o["spec"] = edited(t)["spec"]
	require.True(t, definition.MarkSchema(o, start), "the condition goes with its cause")
	require.False(t, definition.MarkSchema(o, start))

	require.False(t, definition.MarkApproval(o, start), "not a group of the community")
	o = edited(t, "group: example.com", "group: x.k8s.io")
	o.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, a test"})
	require.True(t, definition.MarkApproval(o, start))
	got, _ = definition.ConditionOf(o, "KubernetesAPIApprovalPolicyConformant")
	require.Equal(t, definition.Condition{
		Type: "KubernetesAPIApprovalPolicyConformant", Status: "False", Reason: "UnapprovedAnnotation", Message: `not approved: "unapproved, a test"`,
	}, got)
}

func TestVersionsAreOrderedAsInDiscovery(t *testing.T) {
	order := []string{"v10", "v2", "v1", "v2beta1", "v1beta2", "v1beta1", "v1alpha10", "v1alpha1", "a", "foo10", "v1gamma"}
	for i, a := range order {
		require.Zero(t, definition.CompareVersions(a, a))
		for _, b := range order[i+1:] {
			require.Positive(t, definition.CompareVersions(a, b), "%s before %s", a, b)
			require.Negative(t, definition.CompareVersions(b, a), "%s behind %s", b, a)
		}
	}
}
