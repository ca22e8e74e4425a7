package fakeclient

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
)

// A suite of two hundred small tests, each with a server of its own: what it takes is the
// time of this test.
func TestTwoHundredServers(t *testing.T) {
	scheme := newScheme(t)
	for i := range 200 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			c := controllertest.Client(t, controllertest.New(t), scheme)
			m := (&probe{ns: "default"}).configMap("m", "k", "v")
			require.NoError(t, c.Create(t.Context(), m))
			m.Data["k"] = "w"
			require.NoError(t, c.Update(t.Context(), m))
			require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(m), m))
			require.Equal(t, "w", m.Data["k"])
		})
	}
}
