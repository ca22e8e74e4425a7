// Package controllertest brings clients and managers of controller-runtime together
// with an API server in memory ([apitest.Server]), so that a test of a controller takes milliseconds
// and gets the answers of the real API.
//
// [New] starts a server with the kinds of Kubernetes; [Config], [Client] and [Manager]
// are what a test or a manager wants of it, for a server that is new and for one that was
// forked. A test that was written for envtest has one line to change:
//
//	cfg, err = testEnv.Start()                                           // before
//	cfg = controllertest.Config(controllertest.New(t, apitest.CRDs(dir))) // after
//
// Everything calls the server in-process and ends with the test. In a bubble of
// testing/synctest time passes as soon as everybody waits, so that a
// controller's requeues of a day are a matter of milliseconds:
//
//	synctest.Test(t, func(t *testing.T) {
//		srv := controllertest.New(t, apitest.CRDs("../config/crd"))
//		m := controllertest.Manager(t, srv, ctrl.Options{Scheme: scheme})
//		require.NoError(t, reconciler.SetupWithManager(m))
//		controllertest.Run(t, srv, m)
//		...
//		time.Sleep(24 * time.Hour)
//	})
//
// A bubble's clock begins at midnight UTC on 2000-01-01, so objects that were created outside
// are of the future in there, and certificates and tokens that were made outside are not valid
// yet. What goes into a bubble is best made in it, or is a snapshot.
package controllertest
