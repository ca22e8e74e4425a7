package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// limitRanges describes v1 LimitRanges.
func limitRanges(t *types) row {
	return row{
		version: "v1", kind: "LimitRange", plural: "limitranges", shortNames: "limits",
		codec: codecOf[corev1.LimitRange](t), traits: putCreates,
		columns:  []server.Column{createdAt()},
		defaults: defaultLimitRange, validate: validateLimitRange,
	}
}

// defaultLimitRange completes what is said of containers: limits are the maximum, and
// requests are the limits or else the minimum.
func defaultLimitRange(o object.Object) {
	for _, v := range list(o, "spec", "limits") {
		item, _ := v.(map[string]any)
		if item["type"] != "Container" {
			continue
		}
		setMissing(item, "default", "max")
		setMissing(item, "defaultRequest", "default")
		setMissing(item, "defaultRequest", "min")
	}
}

// setMissing gives a map of amounts what only another one has.
func setMissing(item object.Object, name, from string) {
	for resource, amount := range mapping(item, from) {
		if amounts := ensure(item, name); amounts[resource] == nil {
			amounts[resource] = amount
		}
	}
}

func validateLimitRange(next, _ object.Object) (errs object.FieldErrors) {
	seen := map[string]bool{}
	for i, v := range list(next, "spec", "limits") {
		item, _ := v.(map[string]any)
		c := limitCheck{path: "spec.limits[" + strconv.Itoa(i) + "].", item: item, kind: text(item, "type")}
		c.checkType()
		if seen[c.kind] {
			c.errs = append(c.errs, object.DuplicateField(c.path+"type", c.kind))
		}
		seen[c.kind] = true
		c.checkNames()
		for _, resource := range c.resources() {
			c.checkAmounts(resource)
		}
		errs = append(errs, c.errs...)
	}
	return errs
}

// limitCheck is the check of one item.
type limitCheck struct {
	path string
	item object.Object
	kind string
	errs object.FieldErrors
}

func (c *limitCheck) checkType() {
	details := validation.IsQualifiedName(c.kind)
	if len(details) == 0 && !strings.Contains(c.kind, "/") && !slices.Contains([]string{"Pod", "Container", "PersistentVolumeClaim"}, c.kind) {
		details = []string{"must be a standard limit type or fully qualified"}
	}
	for _, detail := range details {
		c.errs = append(c.errs, object.InvalidField(c.path+"type", c.kind, detail))
	}
}

// bounds are the maps of amounts of an item.
var bounds = []string{"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}

func (c *limitCheck) checkNames() {
	for _, name := range bounds {
		amounts := mapping(c.item, name)
		if c.kind == "Pod" && strings.HasPrefix(name, "default") {
			if len(amounts) > 0 {
				c.errs = append(c.errs, object.ForbiddenField(c.path+name, "may not be specified when `type` is 'Pod'"))
			}
			continue
		}
		if name == "maxLimitRequestRatio" {
			c.checkStorage()
		}
		for _, resource := range slices.Sorted(maps.Keys(amounts)) {
			check := checkResourceName
			if c.kind == "Pod" || c.kind == "Container" {
				check = checkContainerResourceName
			}
			c.errs = append(c.errs, check(c.path+keyed(name, resource), resource)...)
		}
	}
}

func (c *limitCheck) checkStorage() {
	if c.kind == "PersistentVolumeClaim" && !has(mapping(c.item, "min"), "storage") && !has(mapping(c.item, "max"), "storage") {
		c.errs = append(c.errs, object.RequiredField(c.path+"limits",
			"either minimum or maximum storage value is required, but neither was provided"))
	}
}

// resources gives the names of all that the item is about.
func (c *limitCheck) resources() []string {
	var names []string
	for _, name := range bounds {
		if c.kind != "Pod" || !strings.HasPrefix(name, "default") {
			names = slices.AppendSeq(names, maps.Keys(mapping(c.item, name)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// amount gives one bound for a resource, if there is one.
func (c *limitCheck) amount(name, resource string) (quantity.Quantity, bool) {
	v, ok := mapping(c.item, name)[resource]
	return amountOf(v), ok && (c.kind != "Pod" || !strings.HasPrefix(name, "default"))
}

// checkAmounts checks that the bounds for a resource are in order.
func (c *limitCheck) checkAmounts(resource string) {
	const request = "defaultRequest"
	c.checkOrder(resource, "min", "min", "min", "max", "min value %s is greater than max value %s")
	c.checkOrder(resource, request, request, "min", request, "min value %s is greater than default request value %s")
	c.checkOrder(resource, request, request, request, "max", "default request value %s is greater than max value %s")
	c.checkOrder(resource, request, request, request, "default", "default request value %s is greater than default limit value %s")
	c.checkOrder(resource, "default", "min", "min", "default", "min value %s is greater than default value %s")
	c.checkOrder(resource, "default", "max", "default", "max", "default value %s is greater than max value %s")
	c.checkRatio(resource)
	value, hasValue := c.amount("default", resource)
	asked, isAsked := c.amount(request, resource)
	if hasValue && isAsked && !mayOvercommit(resource) && value.Compare(asked) != 0 {
		c.invalid(request, resource, asked, "default value %s must equal to defaultRequest value %s in %s", value, asked, resource)
	}
}

// checkOrder checks that one bound is not above another. An error is about one field and may
// show the value of another.
func (c *limitCheck) checkOrder(resource, field, shown, low, high, format string) {
	l, hasLow := c.amount(low, resource)
	h, hasHigh := c.amount(high, resource)
	if hasLow && hasHigh && l.Compare(h) > 0 {
		value, _ := c.amount(shown, resource)
		c.invalid(field, resource, value, format, l, h)
	}
}

func (c *limitCheck) checkRatio(resource string) {
	const field = "maxLimitRequestRatio"
	ratio, ok := c.amount(field, resource)
	if !ok {
		return
	}
	if ratio.Compare(quantity.Of(1)) < 0 {
		c.invalid(field, resource, ratio, "ratio %s is less than 1", ratio)
	}
	least, hasMin := c.amount("min", resource)
	most, hasMax := c.amount("max", resource)
	if hasMin && hasMax {
		if possible := most.RoundedUp(-3).Float64() / least.RoundedUp(-3).Float64(); ratio.RoundedUp(-3).Float64() > possible {
			c.invalid(field, resource, ratio, "ratio %s is greater than max/min = %f", ratio, possible)
		}
	}
}

func (c *limitCheck) invalid(field, resource string, shown quantity.Quantity, format string, args ...any) {
	c.errs = append(c.errs, object.InvalidField(c.path+keyed(field, resource), shown.String(), fmt.Sprintf(format, args...)))
}
