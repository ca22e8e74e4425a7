package controller_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/examples/operator/controller"
)

type hosts struct{}

func (hosts) Claim(context.Context, string, string) error   { return nil }
func (hosts) Release(context.Context, string, string) error { return nil }

func TestADay(t *testing.T) {
	s := runtime.NewScheme()
	require.NoError(t, scheme.AddToScheme(s))
	require.NoError(t, previewv1.AddToScheme(s))
	real := time.Now()
	synctest.Test(t, func(t *testing.T) {
		c := controllertest.New(t, "../config/crd")
		m := c.Manager(ctrl.Options{Scheme: s})
		r := &controller.Reconciler{Client: m.GetClient(), Hosts: hosts{}}
		require.NoError(t, r.SetupWithManager(m))
		c.Start(m)
		k := c.Client(s)
		p := &previewv1.Preview{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"}, Spec: previewv1.PreviewSpec{Image: "a", Host: "h"}}
		require.NoError(t, k.Create(t.Context(), p))
		time.Sleep(23 * time.Hour)
		require.NoError(t, k.Get(t.Context(), client.ObjectKeyFromObject(p), p))
		t.Log(p)
		time.Sleep(2 * time.Hour)
		err := k.Get(t.Context(), client.ObjectKeyFromObject(p), p)
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
	t.Log(time.Since(real))
}
