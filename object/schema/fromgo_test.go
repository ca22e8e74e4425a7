package schema

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

type tree struct {
	Name     string  `json:"name"`
	Children []*tree `json:"children,omitempty"`
}

type port struct {
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

//lint:ignore U1000 what it consists of does not count
type quantity struct{ text string }

type inlined struct {
	Shared string `json:"shared,omitempty"`
}

type widget struct {
	object.TypeMeta   `json:",inline"`
	object.ObjectMeta `json:"metadata,omitempty"`
	inlined
	Ports    []port              `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
	Names    []string            `json:"names,omitempty" patchStrategy:"merge"`
	Plain    []string            `json:"plain"`
	Limits   map[string]quantity `json:"limits,omitempty"`
	Data     []byte              `json:"data,omitempty"`
	Since    *time.Time          `json:"since"`
	Ratio    float64             `json:"ratio"`
	Any      any                 `json:"any,omitempty"`
	Tree     *tree               `json:"tree,omitempty"`
	Selector map[string]string   `json:"selector,omitempty"`
	Hidden   string              `json:"-"`
	Bare     bool
	//lint:ignore U1000 it is there to be left out
	private int
}

func TestFromGo(t *testing.T) {
	widgets := reflect.TypeFor[widget]()
	s, err := FromGo(widgets, GoOptions{
		Types: map[reflect.Type]*Schema{
			reflect.TypeFor[quantity]():          parse(t, `{"x-kubernetes-int-or-string":true}`),
			reflect.TypeFor[object.ObjectMeta](): parse(t, `{"type":"object"}`),
		},
		Lists:        map[GoField]GoList{{widgets, "Ports"}: {"map", []string{"port", "protocol"}}},
		AtomicTypes:  map[reflect.Type]bool{reflect.TypeFor[port](): true},
		AtomicFields: map[GoField]bool{{widgets, "Selector"}: true, {widgets, "Plain"}: true},
		Describe: func(t reflect.Type, field string) string {
			if t == widgets && field == "Ratio" {
				return "of one to the other"
			}
			return ""
		},
	})
	require.NoError(t, err)
	require.Equal(t, document(t, `{"type":"object","required":["plain","ratio","Bare"],"properties":{
		"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},"shared":{"type":"string"},
		"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
			"items":{"type":"object","x-kubernetes-map-type":"atomic","required":["port"],"properties":{"port":{"type":"integer","format":"int32"},"protocol":{"type":"string"}}}},
		"names":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
		"plain":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"string"}},
		"limits":{"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true}},
		"data":{"type":"string","format":"byte"},"since":{"type":"string","format":"date-time"},"ratio":{"type":"number","format":"double","description":"of one to the other"},
		"any":{"x-kubernetes-preserve-unknown-fields":true},
		"tree":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
			"children":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}},
		"selector":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
		"Bare":{"type":"boolean"}}}`), s.Document())
}

func TestFromGoRefusesWhatHasNoJSON(t *testing.T) {
	_, err := FromGo(reflect.TypeFor[struct {
		A []struct {
			F func() `json:"f"`
		} `json:"a"`
	}](), GoOptions{})
	require.ErrorContains(t, err, "a: items: f: func() has no form in JSON")
}
