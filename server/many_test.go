package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// many is as much as fits into a request; work that grows with its square would take
// these tests minutes.
const many = 20_000

func TestManyFaultsAreToldInReasonableTime(t *testing.T) {
	s := newWorld(t, widgets())
	_, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	labels := make(map[string]string, many)
	for i := range many {
		labels[fmt.Sprintf("/%d", i)] = "v"
	}
	faulty := widget("a")
	faulty.SetLabels(labels)
	_, err = s.Update(t.Context(), target("a"), faulty, WriteOptions{})
	require.True(t, object.IsInvalid(err))
	require.Len(t, object.AsStatus(err).Details.Causes, many)
}

func TestManyOwnersAreComparedInReasonableTime(t *testing.T) {
	s := newWorld(t, widgets())
	refs := make([]object.OwnerReference, many)
	for i := range refs {
		refs[i] = object.OwnerReference{APIVersion: "v1", Kind: "K", Name: "n", UID: fmt.Sprint(i / 2)}
	}
	o := widget("a")
	o.SetOwnerReferences(refs)
	created, err := s.Create(t.Context(), target(""), o, WriteOptions{})
	require.NoError(t, err)
	require.Len(t, created.OwnerReferences(), many/2)
}

func TestManyWarningsAreCutInReasonableTime(t *testing.T) {
	var w warnings
	for i := range 50 * many {
		w.add(fmt.Sprintf("unknown field %d", i))
	}
	require.Less(t, len(strings.Join(w.texts, "")), 2*maxWarnings, "others are not kept")
	h := http.Header{}
	w.writeTo(h)
	require.Greater(t, len(strings.Join(h["Warning"], "")), maxWarnings)
	require.Less(t, len(strings.Join(h["Warning"], "")), 2*maxWarnings)
}

func TestManyControllersAreNotAllTold(t *testing.T) {
	s := newWorld(t, widgets())
	controls := true
	refs := make([]object.OwnerReference, many)
	for i := range refs {
		refs[i] = object.OwnerReference{APIVersion: "v1", Kind: "K", Name: "n", UID: fmt.Sprint(i), Controller: &controls}
	}
	o := widget("a")
	o.SetOwnerReferences(refs)
	_, err := s.Create(t.Context(), target(""), o, WriteOptions{})
	require.True(t, object.IsInvalid(err))
	require.Less(t, len(err.Error()), 40<<20)
}
