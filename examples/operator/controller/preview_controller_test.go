package controller_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/examples/operator/controller"
)

var _ = Describe("Preview Controller", func() {
	Context("When reconciling a resource", func() {
		const resourceName = "test-resource"

		ctx := context.Background()

		typeNamespacedName := types.NamespacedName{
			Name:      resourceName,
			Namespace: "default",
		}
		preview := &previewv1.Preview{}
		hosts := newRegister()

		BeforeEach(func() {
			By("creating the custom resource for the Kind Preview")
			err := k8sClient.Get(ctx, typeNamespacedName, preview)
			if err != nil && errors.IsNotFound(err) {
				resource := &previewv1.Preview{
					ObjectMeta: metav1.ObjectMeta{
						Name:      resourceName,
						Namespace: "default",
					},
					Spec: previewv1.PreviewSpec{Image: "web:1", Host: "test.example.com"},
				}
				Expect(k8sClient.Create(ctx, resource)).To(Succeed())
			}
		})

		AfterEach(func() {
			resource := &previewv1.Preview{}
			err := k8sClient.Get(ctx, typeNamespacedName, resource)
			Expect(err).NotTo(HaveOccurred())

			By("Cleanup the specific resource instance Preview")
			Expect(k8sClient.Delete(ctx, resource)).To(Succeed())

			By("Reconciling its end")
			controllerReconciler := &controller.Reconciler{Client: k8sClient, Hosts: hosts}
			_, err = controllerReconciler.Reconcile(ctx, reconcile.Request{NamespacedName: typeNamespacedName})
			Expect(err).NotTo(HaveOccurred())
			Expect(hosts.ownerOf("test.example.com")).To(BeEmpty())
		})

		It("should successfully reconcile the resource", func() {
			By("Reconciling the created resource")
			controllerReconciler := &controller.Reconciler{Client: k8sClient, Hosts: hosts}

			_, err := controllerReconciler.Reconcile(ctx, reconcile.Request{
				NamespacedName: typeNamespacedName,
			})
			Expect(err).NotTo(HaveOccurred())

			deployment := &appsv1.Deployment{}
			Expect(k8sClient.Get(ctx, typeNamespacedName, deployment)).To(Succeed())
			Expect(deployment.Spec.Template.Spec.Containers[0].Image).To(Equal("web:1"))
		})
	})
})

var _ = Describe("Preview Controller in a manager", Ordered, func() {
	const (
		previewName      = "test-preview"
		previewNamespace = "default"

		timeout  = time.Second * 10
		interval = time.Millisecond * 50
	)
	lookupKey := types.NamespacedName{Name: previewName, Namespace: previewNamespace}
	hosts := newRegister()

	BeforeAll(func() {
		k8sManager, err := ctrl.NewManager(cfg, ctrl.Options{Scheme: scheme.Scheme})
		Expect(err).ToNot(HaveOccurred())

		err = (&controller.Reconciler{Client: k8sManager.GetClient(), Hosts: hosts}).SetupWithManager(k8sManager)
		Expect(err).ToNot(HaveOccurred())

		managerCtx, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer GinkgoRecover()
			defer close(ended)
			err := k8sManager.Start(managerCtx)
			Expect(err).ToNot(HaveOccurred(), "failed to run manager")
		}()
		DeferCleanup(func() {
			stop()
			Eventually(ended, timeout).Should(BeClosed())
		})
	})

	Context("When updating Preview Status", func() {
		It("Should be ready when its Deployment is", func() {
			By("By creating a new Preview")
			preview := &previewv1.Preview{
				ObjectMeta: metav1.ObjectMeta{Name: previewName, Namespace: previewNamespace},
				Spec:       previewv1.PreviewSpec{Image: "web:1", Host: "managed.example.com"},
			}
			Expect(k8sClient.Create(ctx, preview)).To(Succeed())

			createdDeployment := &appsv1.Deployment{}
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.Get(ctx, lookupKey, createdDeployment)).To(Succeed())
			}, timeout, interval).Should(Succeed())
			Expect(metav1.IsControlledBy(createdDeployment, preview)).To(BeTrue())

			By("By checking the Preview is not ready yet")
			createdPreview := &previewv1.Preview{}
			Consistently(func(g Gomega) {
				g.Expect(k8sClient.Get(ctx, lookupKey, createdPreview)).To(Succeed())
				g.Expect(meta.IsStatusConditionTrue(createdPreview.Status.Conditions, previewv1.ConditionReady)).To(BeFalse())
			}, 200*time.Millisecond, interval).Should(Succeed())

			By("By reporting that the Deployment runs, as nobody else does")
			createdDeployment.Status.ObservedGeneration = createdDeployment.Generation
			createdDeployment.Status.Replicas, createdDeployment.Status.ReadyReplicas = 1, 1
			Expect(k8sClient.Status().Update(ctx, createdDeployment)).To(Succeed())

			By("By checking that the Preview is ready")
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.Get(ctx, lookupKey, createdPreview)).To(Succeed())
				g.Expect(meta.IsStatusConditionTrue(createdPreview.Status.Conditions, previewv1.ConditionReady)).To(BeTrue())
			}, timeout, interval).Should(Succeed(), "should be ready")
		})

		It("Should release the host at the end", func() {
			Expect(hosts.ownerOf("managed.example.com")).To(Equal("default/test-preview"))
			Expect(k8sClient.Delete(ctx, &previewv1.Preview{ObjectMeta: metav1.ObjectMeta{Name: previewName, Namespace: previewNamespace}})).To(Succeed())
			Eventually(func() bool {
				return errors.IsNotFound(k8sClient.Get(ctx, lookupKey, &previewv1.Preview{}))
			}, timeout, interval).Should(BeTrue())
			Expect(hosts.ownerOf("managed.example.com")).To(BeEmpty())

			By("By checking that the Deployment is collected, which envtest does not do")
			Eventually(func() bool {
				return errors.IsNotFound(k8sClient.Get(ctx, lookupKey, &appsv1.Deployment{}))
			}, timeout, interval).Should(BeTrue())
		})
	})
})
