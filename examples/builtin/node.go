package builtin

import "maps"

// nodePresets are those of Nodes.
func nodePresets() *presets {
	amounts := amountPresets()
	return at("status", &presets{
		also:  completeNodeStatus,
		parts: []part{{"capacity", amounts}, {"allocatable", amounts}},
	})
}

// completeNodeStatus lets pods have all of a node that doesn't say otherwise.
func completeNodeStatus(status map[string]any) {
	if capacity := mapping(status, "capacity"); capacity != nil && status["allocatable"] == nil {
		status["allocatable"] = maps.Clone(capacity)
	}
}
