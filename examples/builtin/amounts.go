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

// isAmount says whether a value is an amount in the one way that it is written.
func isAmount(v any) bool {
	text, _ := v.(string)
	if isPlainAmount(text) {
		return true
	}
	q, err := quantity.Parse(text)
	return err == nil && q.String() == text
}

// isPlainAmount knows most amounts at sight: few digits, and a suffix that a larger one
// can't take the place of.
func isPlainAmount(text string) bool {
	n, i := 0, 0
	for ; i < len(text) && i < 10 && '0' <= text[i] && text[i] <= '9'; i++ {
		n = 10*n + int(text[i]-'0')
	}
	if i == 0 || text[0] == '0' {
		return text == "0"
	}
	switch text[i:] {
	case "", "m", "k", "M", "G":
		return n%1000 != 0
	case "Ki", "Mi", "Gi":
		return n%1024 != 0
	}
	return false
}

// amountOf gives the quantity of a document; the codec has seen to it that it is one.
func amountOf(v any) quantity.Quantity {
	s, _ := v.(string)
	q, _ := quantity.Parse(s)
	return q
}
