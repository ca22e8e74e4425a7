package admission_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
)

// parts is a stage of parts, each of which appends its letter to the field "made" the first
// times it is called, as often as the number of its letters in changes says. Capital
// letters are called again.
type parts struct {
	letters string
	changes string
	calls   *strings.Builder
	left    map[rune]int
}

func (p *parts) Mutate(_ context.Context, req *admission.Request) error { return p.run(req) }

func (p *parts) Reinvoke(_ context.Context, req *admission.Request) error { return p.run(req) }

func (p *parts) run(req *admission.Request) error {
	round := req.Round(p)
	round.Begin(req.Object)
	defer func() { round.End(req.Object) }()
	for _, letter := range p.letters {
		if !round.Due(letter) {
			continue
		}
		p.calls.WriteRune(letter)
		changed := p.left[letter] < strings.Count(p.changes, string(letter))
		p.left[letter]++
		if changed {
			made, _ := req.Object["made"].(string)
			req.Object["made"] = made + string(letter)
		}
		round.Called(letter, strings.ToUpper(string(letter)) == string(letter), changed)
	}
	return nil
}

func TestPartsAreCalledAgainWhenTheObjectChangedBehindThem(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second string // letters of two stages; the second is left out if it is empty
		changes       string
		calls         string
	}{
		{"nobody changes anything", "AB", "CD", "", "ABCD"},
		{"one alone", "A", "", "A", "A"},
		{"the first of one stage", "AB", "", "A", "AB"},
		{"the last of one stage", "ABc", "", "c", "ABcAB"},
		{"who wants it once is not called again", "aB", "", "B", "aB"},
		{"a later stage", "AB", "CD", "D", "ABCDABC"},
		{"an earlier stage", "AB", "CD", "B", "ABCDA"},
		{"both stages", "AB", "CD", "BD", "ABCDABC"},
		{"a change of the second time is seen by those behind", "AB", "CD", "AAD", "ABCDABCD"},
		{"a change of the second time is not seen by those before", "AB", "", "BBB", "ABA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls strings.Builder
			stage := func(letters string) admission.Mutator {
				return &parts{letters, c.changes, &calls, map[rune]int{}}
			}
			chain := admission.Chain{Mutators: []admission.Mutator{stage(c.first)}}
			if c.second != "" {
				chain.Mutators = append(chain.Mutators, stage(c.second))
			}
			require.NoError(t, chain.Run(context.Background(), podRequest("web")))
			require.Equal(t, c.calls, calls.String())
		})
	}
}

// counter is a stage of one part that wants to see its own changes again.
type counter struct{}

func (c counter) Mutate(ctx context.Context, req *admission.Request) error {
	return c.Reinvoke(ctx, req)
}

func (c counter) Reinvoke(_ context.Context, req *admission.Request) error {
	round := req.Round(c)
	round.Begin(req.Object)
	if round.Due("part") {
		n, _ := req.Object["count"].(int64)
		req.Object["count"] = n + 1
		round.Called("part", true, true)
		round.Changed()
	}
	round.End(req.Object)
	return nil
}

func TestPartIsCalledAgainForItsOwnChangesIfTheStageSaysSo(t *testing.T) {
	req := podRequest("web")
	chain := admission.Chain{Mutators: []admission.Mutator{counter{}}}
	require.NoError(t, chain.Mutate(context.Background(), req))
	require.Equal(t, int64(2), req.Object["count"])
}
