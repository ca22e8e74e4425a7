package builtin

import (
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// amountPresets are those of maps of amounts.
func amountPresets() *presets { return &presets{also: roundAmounts} }

// roundAmounts makes thousandths of amounts that are finer, the next ones above.
func roundAmounts(amounts map[string]any) {
	for name, v := range amounts {
		amount, _ := v.(string)
		if !mayBeFiner(amount) {
			continue
		}
		if q, err := quantity.Parse(amount); err == nil {
			amounts[name] = q.RoundedUp(-3).String()
		}
	}
}

// mayBeFiner says whether an amount, as it is written, can be finer than thousandths.
func mayBeFiner(amount string) bool { return strings.ContainsAny(amount, "nue.") }
