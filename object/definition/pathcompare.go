package definition

import (
	"cmp"
	"errors"
	"fmt"
)

var errIncomparable = errors.New("incompatible types for comparison")

// compare applies the operator of a filter. Values compare with those of their own
// type only; whether a flag is less than another is not asked.
func compare(left any, operator string, right any) (bool, error) {
	switch operator {
	case "==", "!=", "<", "<=", ">", ">=":
	default:
		return false, fmt.Errorf("unrecognized filter operator %s", operator)
	}
	order, err := orderOf(left, right)
	if err != nil {
		return false, err
	}
	switch operator {
	case "==":
		return order == 0, nil
	case "!=":
		return order != 0, nil
	}
	if _, ok := left.(bool); ok {
		return false, errIncomparable
	}
	switch operator {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

func orderOf(left, right any) (int, error) {
	switch x := whole(left).(type) {
	case bool:
		if y, ok := right.(bool); ok {
			if x == y {
				return 0, nil
			}
			return 1, nil
		}
	case string:
		if y, ok := right.(string); ok {
			return cmp.Compare(x, y), nil
		}
	case int64:
		if y, ok := whole(right).(int64); ok {
			return cmp.Compare(x, y), nil
		}
	case float64:
		if y, ok := right.(float64); ok {
			return cmp.Compare(x, y), nil
		}
	}
	return 0, errIncomparable
}

// whole gives literals and bytes of texts the type of other whole numbers. They have
// types of their own since cells cannot show them.
func whole(v any) any {
	switch v := v.(type) {
	case byte:
		return int64(v)
	case int:
		return int64(v)
	}
	return v
}
