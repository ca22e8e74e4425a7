package builtin

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// types is what several kinds know of their Go types. All of it is made when it is
// needed: a server that nobody asks for schemas derives none.
type types struct {
	mu     sync.Mutex
	shapes shapes

	schemas func() *schema.Deriver

	encoders sync.Pool
}

func newTypes() *types {
	return &types{shapes: shapes{}, schemas: sync.OnceValue(newDeriver)}
}

func (all *types) shape(t reflect.Type) *shape {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.shapes.of(t)
}

// encoder gives one that is not in use.
func (all *types) encoder() *encoder {
	if e, ok := all.encoders.Get().(*encoder); ok {
		return e
	}
	return &encoder{}
}

// keepEncoder takes an encoder back, unless a large document made it large.
func (all *types) keepEncoder(e *encoder) {
	const most = 1 << 20
	e.data = nil
	if cap(e.buf) <= most && cap(e.values)*int(unsafe.Sizeof(outlined{})) <= most {
		all.encoders.Put(e)
	}
}

func (all *types) schema(t reflect.Type) *schema.Schema {
	s, err := all.schemas().Schema(t)
	if err != nil {
		panic(err) // no type of k8s.io/api has it
	}
	return s
}

func newDeriver() *schema.Deriver {
	docs := documentation{}
	return schema.NewDeriver(schema.GoOptions{
		Types:        specialSchemas(),
		Lists:        lists(),
		AtomicTypes:  atomicTypes(),
		AtomicFields: atomicFields(),
		Defaults:     keyDefaults(),
		Name:         schemaName,
		Describe:     docs.describe,
	})
}

// specialSchemas are those of types that are not in JSON what they are in Go.
func specialSchemas() map[reflect.Type]*schema.Schema {
	return map[reflect.Type]*schema.Schema{
		reflect.TypeFor[metav1.Time]():          {Type: "string", Format: "date-time"},
		reflect.TypeFor[metav1.MicroTime]():     {Type: "string", Format: "date-time"},
		reflect.TypeFor[metav1.Duration]():      {Type: "string"},
		reflect.TypeFor[resource.Quantity]():    {IntOrString: true},
		reflect.TypeFor[intstr.IntOrString]():   {IntOrString: true},
		reflect.TypeFor[runtime.RawExtension](): {Type: "object", PreserveUnknownFields: true, MapType: "atomic"},
		reflect.TypeFor[metav1.FieldsV1]():      {Type: "object", PreserveUnknownFields: true},
	}
}

// schemaName is the package of a type, its domain turned around, and the type: the
// type Pod of k8s.io/api/core/v1 is io.k8s.api.core.v1.Pod.
func schemaName(t reflect.Type) string {
	domain, rest, found := strings.Cut(t.PkgPath(), "/")
	if !found || domain != "k8s.io" || t.Kind() != reflect.Struct {
		return ""
	}
	return "io.k8s." + strings.ReplaceAll(rest, "/", ".") + "." + t.Name()
}

// documentation is what the types say of themselves and of their fields, by the names
// of these in JSON; under "" what they say of themselves.
type documentation map[reflect.Type]map[string]string

// documented are types with documentation.
type documented interface{ SwaggerDoc() map[string]string }

// describe gives the documentation of a field in Go, or of the type.
func (docs documentation) describe(t reflect.Type, field string) string {
	texts, ok := docs[t]
	if !ok {
		if d, ok := reflect.Zero(t).Interface().(documented); ok {
			texts = d.SwaggerDoc()
		}
		docs[t] = texts
	}
	if field == "" {
		return texts[""]
	}
	f, _ := t.FieldByName(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return texts[name]
}
