package apply

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxOperations is how many operations a JSON Patch may have.
const maxOperations = 10_000

// operation is one step of a JSON Patch. A member that is missing, or null where
// it must be a text, is nil.
type operation struct {
	op, path, from *string
	value          any
	hasValue       bool
}

// readOperations takes a decoded JSON Patch, which must be a list of objects; null
// counts as an empty one. What an operation must have is looked at when it is applied.
func readOperations(value any) ([]operation, error) {
	list, ok := value.([]any)
	if !ok && value != nil {
		return nil, undecodable(wrongType(value, "value of type []handlers.jsonPatchOp"))
	}
	operations := make([]operation, 0, min(len(list), maxOperations))
	for _, value := range list {
		op, err := readOperation(value)
		if err != nil {
			return nil, undecodable(err)
		}
		if len(operations) < maxOperations {
			operations = append(operations, op)
		}
	}
	if len(list) > maxOperations {
		return nil, object.NewStatusError(object.ErrRequestEntityTooLarge, nil,
			"Request entity too large: The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(list))
	}
	return operations, nil
}

func readOperation(value any) (op operation, err error) {
	members, ok := value.(map[string]any)
	if !ok && value != nil {
		return operation{}, wrongType(value, "value of type handlers.jsonPatchOp")
	}
	for _, text := range []struct {
		name string
		into **string
	}{{"op", &op.op}, {"path", &op.path}, {"from", &op.from}} {
		switch v := members[text.name].(type) {
		case nil:
		case string:
			*text.into = &v
		default:
			return operation{}, wrongType(v, "struct field jsonPatchOp."+text.name+" of type string")
		}
	}
	op.value, op.hasValue = members["value"]
	return op, nil
}

func wrongType(v any, into string) error {
	return fmt.Errorf("json: cannot unmarshal %s into Go %s", object.JSONType(v), into)
}
