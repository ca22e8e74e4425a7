package controller_test

import (
	"context"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// This file and preview_controller_test.go are as kubebuilder scaffolds them for envtest. What
// differs is where cfg comes from, and that nothing has to be stopped.

var (
	ctx       context.Context
	cancel    context.CancelFunc
	cfg       *rest.Config
	k8sClient client.Client
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)

	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(GinkgoLogr)

	ctx, cancel = context.WithCancel(context.Background())

	var err error
	err = previewv1.AddToScheme(scheme.Scheme)
	Expect(err).NotTo(HaveOccurred())

	// +kubebuilder:scaffold:scheme

	By("bootstrapping test environment")
	// testEnv = &envtest.Environment{CRDDirectoryPaths: []string{…}, ErrorIfCRDPathMissing: true}
	// cfg, err = testEnv.Start()
	cfg = controllertest.Config(controllertest.New(GinkgoTB(), apitest.CRDs(filepath.Join("..", "config", "crd"))))
	Expect(cfg).NotTo(BeNil())

	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())
	Expect(k8sClient).NotTo(BeNil())
})

var _ = AfterSuite(func() {
	By("tearing down the test environment")
	cancel()
})
