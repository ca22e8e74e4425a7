package amounts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// Amounts are quantities by the names of resources. All methods but Add leave them as they are.
type Amounts map[string]quantity.Quantity

// Read reads the amounts that a document has under a path, and none where it has nothing.
func Read(o object.Object, path ...string) (Amounts, error) {
	v, _ := o.Field(path...)
	m, _ := v.(map[string]any)
	a := make(Amounts, len(m))
	for name, v := range m {
		q, err := read(v)
		if err != nil {
			return nil, fmt.Errorf("reading %s[%s]: %w", strings.Join(path, "."), name, err)
		}
		a[name] = q
	}
	return a, nil
}

func read(v any) (quantity.Quantity, error) {
	switch v := v.(type) {
	case nil:
		return quantity.Quantity{}, nil
	case string:
		return quantity.Parse(v)
	case int64:
		return quantity.Of(v), nil
	case float64:
		return quantity.Parse(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return quantity.Quantity{}, fmt.Errorf("%w, not %s", quantity.ErrForm, object.JSONType(v))
}

// Document gives the amounts as a document has them.
func (a Amounts) Document() map[string]any {
	m := make(map[string]any, len(a))
	for name, q := range a {
		m[name] = q.String()
	}
	return m
}

// Names are sorted.
func (a Amounts) Names() []string { return slices.Sorted(maps.Keys(a)) }

// Plus gives the sums of what either has.
func (a Amounts) Plus(b Amounts) Amounts {
	sum := make(Amounts, len(a)+len(b))
	maps.Copy(sum, a)
	sum.Add(b)
	return sum
}

// Add is [Amounts.Plus] in place.
func (a Amounts) Add(b Amounts) {
	for name, q := range b {
		if sum, ok := a[name]; ok {
			q = sum.Add(q)
		}
		a[name] = q
	}
}

// raise makes in place each amount at least what it is in b.
func (a Amounts) raise(b Amounts) {
	for name, q := range b {
		if own, ok := a[name]; !ok || own.Compare(q) < 0 {
			a[name] = q
		}
	}
}

// Max gives of each name the larger amount.
func (a Amounts) Max(b Amounts) Amounts {
	most := maps.Clone(a)
	if most == nil {
		most = Amounts{}
	}
	most.raise(b)
	return most
}

// Beyond gives by how much each amount is more than in b, leaving out those that are not.
func (a Amounts) Beyond(b Amounts) Amounts {
	more := Amounts{}
	for name, q := range a {
		if q = q.Sub(b[name]); q.Sign() > 0 {
			more[name] = q
		}
	}
	return more
}

// Only gives those whose names pass.
func (a Amounts) Only(pass func(name string) bool) Amounts {
	some := Amounts{}
	for name, q := range a {
		if pass(name) {
			some[name] = q
		}
	}
	return some
}

// Has says whether there is an amount of that name.
func (a Amounts) Has(name string) bool {
	_, ok := a[name]
	return ok
}

// Equal compares values, however they are written.
func (a Amounts) Equal(b Amounts) bool {
	return maps.EqualFunc(a, b, func(p, q quantity.Quantity) bool { return p.Compare(q) == 0 })
}

// String gives the amounts in the words of the API's messages: "cpu=1,memory=1Gi".
func (a Amounts) String() string {
	var b strings.Builder
	for _, name := range a.Names() {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + "=" + a[name].String())
	}
	return b.String()
}
