package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRulesOfWebhooksWithoutEffectAreWarnedOf(t *testing.T) {
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		r := find(t, kind)
		o := decode(t, r, `{"webhooks":[{"rules":[{"apiGroups":["authentication.k8s.io"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["tokenreviews"]}]}]}`)
		require.Equal(t, []string{
			"webhooks[0].rules[0]: tokenreviews.authentication.k8s.io is excluded from admission webhooks; this rule will have no effect",
		}, r.Warn(o, nil))
	}
}
