package expr

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Types of what expressions construct that change objects. Object.spec is the type of a
// field of an Object, and so on; a list has the type of its items. See [Language.MutationScope].
var (
	ObjectType    = cel.ObjectType("Object")
	JSONPatchType = cel.ObjectType("JSONPatch")
)

// MutationScope is a [Scope] in which expressions can construct values of [ObjectType] and
// [JSONPatchType], and escape the keys in the paths of patches.
func (l *Language) MutationScope(objects ObjectTypes, variables ...Variable) (*Scope, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	scope, err := l.scope(constructors{l.env.CELTypeProvider()}, objects, variables)
	if err != nil {
		return nil, err
	}
	if err := scope.declared.AddFunctions(l.escapeKey); err != nil {
		return nil, fmt.Errorf("declaring functions: %w", err)
	}
	return scope, nil
}

// newEscapeKey makes the function for keys in paths of patches.
func newEscapeKey() (*decls.FunctionDecl, error) {
	escapes := strings.NewReplacer("/", "~1", "~", "~0")
	return decls.NewFunction("jsonpatch.escapeKey",
		cel.Overload("string_jsonpatch_escapeKey_string", args(cel.StringType), cel.StringType,
			unary(text, func(s string) ref.Val { return types.String(escapes.Replace(s)) })))
}

// constructors adds the types that expressions construct to those of the language.
type constructors struct{ types.Provider }

func isObjectType(name string) bool {
	return name == ObjectType.TypeName() || strings.HasPrefix(name, ObjectType.TypeName()+".")
}

// FindStructType implements types.Provider.
func (c constructors) FindStructType(name string) (*types.Type, bool) {
	if isObjectType(name) || name == JSONPatchType.TypeName() {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return c.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider. An Object has fields of any name.
func (c constructors) FindStructFieldNames(name string) ([]string, bool) {
	switch {
	case isObjectType(name):
		return nil, true
	case name == JSONPatchType.TypeName():
		return []string{"op", "path", "from", "value"}, true
	}
	return c.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider. A field that a patch doesn't have has no
// type, so that no value fits it.
func (c constructors) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	isPatch := name == JSONPatchType.TypeName()
	if !isPatch && !isObjectType(name) {
		return c.Provider.FindStructFieldType(name, field)
	}
	t := &types.FieldType{
		Type: types.DynType,
		IsSet: func(target any) bool {
			c, ok := target.(*constructed)
			if ok {
				_, ok = c.fields[field]
			}
			return ok
		},
		GetFrom: func(target any) (any, error) {
			if c, ok := target.(*constructed); ok {
				if v, ok := c.fields[field]; ok {
					return v, nil
				}
			}
			return types.NullValue, nil
		},
	}
	if isPatch {
		switch field {
		case "op", "path", "from":
			t.Type = types.StringType
		case "value":
		default:
			t.Type = nil
		}
	}
	return t, true
}

// NewValue implements types.Provider.
func (c constructors) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if !isObjectType(name) && name != JSONPatchType.TypeName() {
		return c.Provider.NewValue(name, fields)
	}
	return &constructed{name, fields}
}

// constructed is a value that an expression constructed.
type constructed struct {
	name   string // of its type
	fields constructedFields
}

type constructedFields map[string]ref.Val

// ConvertToNative fails: see [Configuration] and [PatchOperations].
func (c *constructed) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", c.name, t)
}

// ConvertToType gives the value itself or its type.
func (c *constructed) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t.TypeName() == c.name:
		return c
	case t == types.TypeType:
		return types.NewObjectType(c.name)
	}
	return types.NewErr("type conversion error from '%s' to '%s'", c.name, t.TypeName())
}

// Equal implements ref.Val.
func (c *constructed) Equal(other ref.Val) ref.Val {
	d, ok := other.(*constructed)
	return types.Bool(ok && c.name == d.name && maps.EqualFunc(c.fields, d.fields, func(a, b ref.Val) bool {
		return types.Equal(a, b) == types.True
	}))
}

// Get implements traits.Indexer, for objects within dynamic fields of others.
func (c *constructed) Get(field ref.Val) ref.Val {
	if name, ok := text(field); ok {
		if v, ok := c.fields[name]; ok {
			return v
		}
	}
	return types.NewErr("no such key: %v", field.Value())
}

// IsSet implements traits.FieldTester.
func (c *constructed) IsSet(field ref.Val) ref.Val {
	name, ok := text(field)
	if ok {
		_, ok = c.fields[name]
	}
	return types.Bool(ok)
}

// IsZeroValue implements traits.Zeroer.
func (c *constructed) IsZeroValue() bool { return len(c.fields) == 0 }

// Type implements ref.Val.
func (c *constructed) Type() ref.Type { return types.NewObjectType(c.name) }

// Value implements ref.Val.
func (c *constructed) Value() any { return c }

// checkPlaces says which objects within a value are not of the type of their place: that
// of the field Object.spec is Object.spec. The checker knows all of them as dynamic.
func checkPlaces(c *constructed) error {
	if placed(c.fields, c.name) {
		return nil
	}
	return errors.Join(misplaced(nil, c, c.name)...)
}

// placed says whether all is in its place within the fields of an object.
func placed(fields constructedFields, place string) bool {
	for field, value := range fields {
		if !isPlaced(value, place, field) {
			return false
		}
	}
	return true
}

func isPlaced(v ref.Val, above, field string) bool {
	switch v := v.(type) {
	case types.String, types.Int, types.Bool: // which is most of it; to ask for more allocates
		return true
	case *constructed:
		n := len(above)
		inPlace := len(v.name) == n+1+len(field) && v.name[:n] == above && v.name[n] == '.' && v.name[n+1:] == field
		return inPlace && placed(v.fields, v.name)
	}
	switch value := v.Value().(type) {
	case []ref.Val:
		for _, item := range value {
			if !isPlaced(item, above, field) {
				return false
			}
		}
	case map[ref.Val]ref.Val:
		for _, item := range value {
			if !isPlaced(item, above, field) {
				return false
			}
		}
	}
	return true
}

// misplaced appends what is not in its place.
func misplaced(errs []error, v ref.Val, place string) []error {
	switch value := v.Value().(type) {
	case *constructed:
		if value.name != place {
			errs = append(errs, fmt.Errorf("unexpected type name %q, expected %q, which matches field name path from root Object type", value.name, place))
		}
		for _, field := range slices.Sorted(maps.Keys(value.fields)) {
			errs = misplaced(errs, value.fields[field], place+"."+field)
		}
	case []ref.Val:
		for _, item := range value {
			errs = misplaced(errs, item, place)
		}
	case map[ref.Val]ref.Val:
		for _, item := range value {
			errs = misplaced(errs, item, place)
		}
	}
	return errs
}
