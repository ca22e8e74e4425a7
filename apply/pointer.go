package apply

import (
	"errors"
	"strings"
)

// pointer is a JSON Pointer (RFC 6901) as its parts, none for the whole document.
type pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// parsePointer reads a pointer. What stands before the first slash is passed over; without
// one, the pointer leads nowhere.
func parsePointer(s string) pointer {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, "/")[1:]
	if len(parts) == 0 {
		return nowhere
	}
	for i, part := range parts {
		if strings.Contains(part, "~") {
			parts[i] = unescape.Replace(part)
		}
	}
	return parts
}

// nowhere has a part that no document has.
var nowhere = pointer{"\xff", "\xff"}

func (p pointer) whole() bool { return len(p) == 0 }

// errUnreachable says that there is no object or list that could hold what a pointer points to.
var errUnreachable = errors.New("nothing there to change")

// get finds what a pointer points to; nil for a missing member of an object.
func (d *document) get(path pointer) (any, error) {
	if path.whole() {
		return nil, errUnreachable
	}
	value := d.root
	for depth, part := range path {
		switch container := value.(type) {
		case map[string]any:
			value = container[part]
		case []any:
			i, err := index(part, len(container))
			if err != nil && depth < len(path)-1 {
				return nil, errUnreachable
			}
			if err != nil {
				return nil, err
			}
			value = container[i]
		default:
			return nil, errUnreachable
		}
	}
	return value, nil
}

// edit changes the object or list that holds what a pointer points to: change gets
// that and the last part, and gives what takes its place.
func (d *document) edit(path pointer, change func(container any, key string) (any, error)) error {
	if path.whole() {
		return errUnreachable
	}
	root, err := editIn(d.root, path, change)
	if err != nil {
		return err
	}
	d.root = root
	return nil
}

func editIn(container any, path pointer, change func(container any, key string) (any, error)) (any, error) {
	switch c := container.(type) {
	case map[string]any:
		if len(path) == 1 {
			return change(c, path[0])
		}
		inner, err := editIn(c[path[0]], path[1:], change)
		if err != nil {
			return nil, err
		}
		c[path[0]] = inner
		return c, nil
	case []any:
		if len(path) == 1 {
			return change(c, path[0])
		}
		i, err := index(path[0], len(c))
		if err != nil {
			return nil, errUnreachable
		}
		if c[i], err = editIn(c[i], path[1:], change); err != nil {
			return nil, err
		}
		return c, nil
	}
	return nil, errUnreachable
}
