package object

import (
	"fmt"
	"maps"
	"slices"
)

// LabelSelectorSpec is a label selector as documents carry it. It selects what
// all of its parts select; without any, everything. What an absent one means, the
// field that holds it says.
type LabelSelectorSpec struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []LabelExpression `json:"matchExpressions,omitempty"`
}

// LabelExpression is one term of a [LabelSelectorSpec]. Operator is In, NotIn,
// Exists or DoesNotExist; the first two want values, the others none.
type LabelExpression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// Selector gives the selector that the specification describes. Errors are worded
// as the API words them.
func (s LabelSelectorSpec) Selector() (LabelSelector, error) {
	var requirements []labelRequirement
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		r, err := newLabelRequirement(key, labelEquals, []string{s.MatchLabels[key]})
		if err != nil {
			return LabelSelector{}, err
		}
		requirements = append(requirements, r)
	}
	for _, e := range s.MatchExpressions {
		r, err := e.requirement()
		if err != nil {
			return LabelSelector{}, err
		}
		requirements = append(requirements, r)
	}
	return newLabelSelector(requirements), nil
}

func (e LabelExpression) requirement() (labelRequirement, error) {
	var operator labelOperator
	switch e.Operator {
	case "In":
		operator = labelIn
	case "NotIn":
		operator = labelNotIn
	case "Exists":
		operator = labelExists
	case "DoesNotExist":
		operator = labelAbsent
	default:
		return labelRequirement{}, fmt.Errorf("%q is not a valid label selector operator", e.Operator)
	}
	r, err := newLabelRequirement(e.Key, operator, slices.Clone(e.Values))
	slices.Sort(r.values)
	r.values = slices.Compact(r.values)
	return r, err
}

// Validate says what is wrong with the specification in the field with this path.
func (s LabelSelectorSpec) Validate(field string) FieldErrors {
	errs := validateLabels(s.MatchLabels, field+".matchLabels")
	for i, e := range s.MatchExpressions {
		errs = append(errs, e.validate(fmt.Sprintf("%s.matchExpressions[%d]", field, i))...)
	}
	return errs
}

func (e LabelExpression) validate(field string) FieldErrors {
	var errs FieldErrors
	switch e.Operator {
	case "In", "NotIn":
		if len(e.Values) == 0 {
			errs = append(errs, RequiredField(field+".values", "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case "Exists", "DoesNotExist":
		if len(e.Values) > 0 {
			errs = append(errs, ForbiddenField(field+".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	default:
		errs = append(errs, InvalidField(field+".operator", textAsJSON(e.Operator), "not a valid selector operator"))
	}
	errs = append(errs, invalidFields(field+".key", e.Key, ValidateLabelKey(e.Key))...)
	for i, v := range e.Values {
		errs = append(errs, invalidFields(fmt.Sprintf("%s.values[%d]", field, i), v, ValidateLabelValue(v))...)
	}
	return errs
}

// invalidFields makes an error of each problem with the value.
func invalidFields(field string, value any, problems []string) FieldErrors {
	var errs FieldErrors
	for _, problem := range problems {
		errs = append(errs, InvalidField(field, value, problem))
	}
	return errs
}
