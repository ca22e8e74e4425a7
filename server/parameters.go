package server

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// isTrue reads a boolean parameter: there and neither "false" nor "0".
func isTrue(q url.Values, name string) bool {
	if !q.Has(name) {
		return false
	}
	v := q.Get(name)
	return !strings.EqualFold(v, "false") && v != "0"
}

func parseInt(q url.Values, name string) (*int64, error) {
	if !q.Has(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil {
		return nil, object.BadRequest("%v", err)
	}
	return &n, nil
}
