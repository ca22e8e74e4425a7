package rules

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Sizes are those of JSON in a request, which has limits of its own.
const (
	maxRequest      = 3 << 20
	maxText         = maxRequest - 2 // bytes between quotes
	maxDurationText = 32
	maxDateText     = 12
	maxTimeText     = 32
)

// sizesOf tells the cost estimates how large values under self can be.
func sizesOf(self *schema.Schema, resource bool) func(path []string) (uint64, bool) {
	if resource {
		self = withMetadata(self)
	}
	return func(path []string) (uint64, bool) {
		s := self
		for _, name := range path[1:] {
			switch shape := shapeOf(s); {
			case name == "@items" && shape == shapeList:
				s = s.Items
			case (name == "@items" || name == "@values") && (shape == shapeMap || shape == shapeList):
				s = elementOf(s)
			case name == "@keys" && shape == shapeMap:
				return 0, true
			case shape == shapeObject:
				s = escapedProperty(s, name)
			default:
				return 0, false
			}
			if !isSeen(s) {
				return 0, false
			}
			if s.EmbeddedResource && shapeOf(s) == shapeObject {
				s = withMetadata(s)
			}
		}
		return maxSize(s), true
	}
}

func elementOf(s *schema.Schema) *schema.Schema {
	if s.Items != nil {
		return s.Items
	}
	return s.Additional()
}

// maxSize is the number of items or bytes that a value may have. It is 0 where the
// size costs nothing.
func maxSize(s *schema.Schema) uint64 {
	switch shapeOf(s) {
	case shapeAny:
		return limitOr(s.MaxLength, 4, maxText)
	case shapeList:
		return limitOr(s.MaxItems, 1, maxText/(minSize(s.Items)+1))
	case shapeMap:
		return limitOr(s.MaxProperties, 1, maxText/(minSize(s.Additional())+6))
	case shapeBytes:
		return limitOr(s.MaxLength, 1, maxText)
	case shapeDuration:
		return maxDurationText
	case shapeDate:
		return maxDateText
	case shapeTime:
		return maxTimeText
	case shapeText:
		if s.MaxLength == nil && len(s.Enum) > 0 {
			return longestText(s.Enum)
		}
		return limitOr(s.MaxLength, 4, maxText) // a character may be four bytes
	}
	return 0
}

func limitOr(limit *int64, factor, otherwise int64) uint64 {
	if limit == nil {
		return uint64(otherwise)
	}
	return uint64(max(*limit, 0) * factor)
}

func longestText(values []any) uint64 {
	longest := 0
	for _, v := range values {
		if text, ok := v.(string); ok {
			longest = max(longest, len(text))
		}
	}
	return uint64(longest)
}

// minSize is the number of bytes that a value takes at least.
func minSize(s *schema.Schema) int64 { return minSizeOf(s, s.EmbeddedResource) }

func minSizeOf(s *schema.Schema, resource bool) int64 {
	switch shapeOf(s) {
	case shapeList, shapeMap, shapeBytes, shapeText:
		return 2
	case shapeDuration:
		return 3
	case shapeDate:
		return 12
	case shapeTime:
		return 21
	case shapeBool:
		return 4
	case shapeObject:
		if resource {
			s = withMetadata(s)
		}
		return minObjectSize(s)
	}
	return 1
}

// minObjectSize counts fields that must be there and get no default.
func minObjectSize(s *schema.Schema) int64 {
	size := int64(2)
	for _, p := range s.Properties {
		if p.Schema.Default == nil && slices.Contains(s.Required, p.Name) && isSeen(p.Schema) {
			size += int64(len(p.Name)) + minSize(p.Schema) + 4
		}
	}
	return size
}

// occurrences is how often a value of the schema fits into a request.
func occurrences(s *schema.Schema, resource bool) uint64 {
	return uint64(maxRequest / (minSizeOf(s, resource) + 1))
}
