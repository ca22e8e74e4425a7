package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkCustomResources measures writes that a schema checks, and lists of a
// thousand objects: stored as they are served, and stored before a default came.
func BenchmarkCustomResources(b *testing.B) {
	s := newWorldOf(b, Config{CustomResources: &CustomResources{}})
	properties := `"teeth":{"type":"integer","minimum":1},"parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"mass":{"type":"integer"}}}}`
	define(b, s, gears("ex.org", properties))
	parts := strings.TrimSuffix(strings.Repeat(`{"name":"part","mass":7},`, 20), ",")
	object := func(name string) string {
		return strings.Replace(gear(name), `"teeth":3`, `"teeth":3,"parts":[`+parts+`]`, 1)
	}
	i := 0
	b.Run("create", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			i++
			require.Equal(b, http.StatusCreated, requestOf(b, s, http.MethodPost, gearsPath+"?dryRun=All", object(fmt.Sprint("g", i))).Code)
		}
	})
	for i := range 1000 {
		require.Equal(b, http.StatusCreated, requestOf(b, s, http.MethodPost, gearsPath, object(fmt.Sprintf("o%04d", i))).Code)
	}
	list := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.Equal(b, http.StatusOK, requestOf(b, s, http.MethodGet, gearsPath, "").Code)
		}
	}
	b.Run("list", list)
	patch := fmt.Sprintf(`{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
		"properties":{"spec":{"type":"object","properties":{%s,"color":{"type":"string","default":"grey"}}}}}}}]}}`, properties)
	require.Equal(b, http.StatusOK, requestOf(b, s, http.MethodPatch, definitionsPath+"/gears.ex.org", patch).Code)
	require.Eventually(b, func() bool {
		return strings.Contains(requestOf(b, s, http.MethodGet, gearsPath+"/o0000", "").Body.String(), "grey")
	}, 5*time.Second, time.Millisecond)
	b.Run("list with new defaults", list)
}
