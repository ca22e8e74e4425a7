package rules

import (
	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// objectTypes are the types of the objects that one rule meets, by names that tell
// their places. They are made as the checker asks for them, so that a rule on a large
// object costs no more than what it touches. It implements expr.ObjectTypes.
type objectTypes struct {
	schemas map[string]*schema.Schema
	whole   func(*schema.Schema) *schema.Schema // gives the schema of a resource with its metadata
}

// ResourceTypes gives the type of the resources of a schema and the types of all that they
// hold, as policies see them: beside what the schema says, the whole of their metadata. The names
// of the types begin with the given one. The type is nil if the schema lets nothing be seen.
func ResourceTypes(s *schema.Schema, name string) (*cel.Type, expr.ObjectTypes) {
	types := objectTypes{map[string]*schema.Schema{}, withAllMetadata}
	return types.typeOf(s, true, name), types
}

// selfTypeName is that of an object a rule is on. Rules have no use for it.
const selfTypeName = "selfType"

// FieldType implements expr.ObjectTypes.
func (o objectTypes) FieldType(objectType, name string) (*cel.Type, bool) {
	s, found := o.schemas[objectType]
	if !found {
		return nil, false
	}
	p := escapedProperty(s, name)
	if p == nil {
		return nil, true
	}
	return o.typeOf(p, p.EmbeddedResource, objectType+"."+name), true
}

// escapedProperty finds a property by its name in rules. Behind a dot, CEL takes its
// own words for names, so that those need not be escaped.
func escapedProperty(s *schema.Schema, name string) *schema.Schema {
	if isReserved(name) {
		return s.Property(name)
	}
	field, ok := Unescape(name)
	if !ok {
		return nil
	}
	if escaped, ok := Escape(field); !ok || escaped != name {
		return nil
	}
	return s.Property(field)
}

// typeOf gives the type of values of a schema, or nil if rules cannot see them.
// resource says that they are whole resources.
func (o objectTypes) typeOf(s *schema.Schema, resource bool, name string) *cel.Type {
	switch shapeOf(s) {
	case shapeAny:
		return cel.DynType
	case shapeList:
		if item := o.typeOf(s.Items, s.Items.EmbeddedResource, name+".@idx"); item != nil {
			return cel.ListType(item)
		}
	case shapeMap:
		value := s.Additional()
		if t := o.typeOf(value, value.EmbeddedResource, name+".@elem"); t != nil {
			return cel.MapType(cel.StringType, t)
		}
	case shapeObject:
		if resource {
			s = o.whole(s)
		}
		o.schemas[name] = s
		return cel.ObjectType(name)
	case shapeBytes:
		return cel.BytesType
	case shapeDuration:
		return cel.DurationType
	case shapeDate, shapeTime:
		return cel.TimestampType
	case shapeText:
		return cel.StringType
	case shapeBool:
		return cel.BoolType
	case shapeFloat:
		return cel.DoubleType
	case shapeInt:
		return cel.IntType
	}
	return nil
}

// shape is what a value of a schema is for rules.
type shape int

const (
	shapeless shape = iota // nothing that rules can see
	shapeAny               // a text or a number
	shapeList
	shapeMap
	shapeObject
	shapeBytes
	shapeDuration
	shapeDate
	shapeTime
	shapeText
	shapeBool
	shapeFloat
	shapeInt
)

func shapeOf(s *schema.Schema) shape {
	switch {
	case s == nil:
		return shapeless
	case s.IntOrString:
		return shapeAny
	}
	switch s.Type {
	case "array":
		if s.Items != nil {
			return shapeList
		}
	case "object":
		if s.Additional() != nil {
			return shapeMap
		}
		return shapeObject
	case "string":
		return textShape(s.Format)
	case "boolean":
		return shapeBool
	case "number":
		return shapeFloat
	case "integer":
		return shapeInt
	}
	return shapeless
}

func textShape(format string) shape {
	switch format {
	case "byte":
		return shapeBytes
	case "duration":
		return shapeDuration
	case "date":
		return shapeDate
	case "date-time":
		return shapeTime
	}
	return shapeText
}

// isSeen says whether rules can see values of the schema.
func isSeen(s *schema.Schema) bool {
	switch shapeOf(s) {
	case shapeless:
		return false
	case shapeList:
		return isSeen(s.Items)
	case shapeMap:
		return isSeen(s.Additional())
	}
	return true
}
