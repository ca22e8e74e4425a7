package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: nginx, ports: [{containerPort: 80}], resources: {limits: {cpu: "1", memory: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: nginx, image: nginx}]}
`

func TestKubectlWithWorkloads(t *testing.T) {
	s := startServer(t)
	t.Run("explains fields", func(t *testing.T) {
		k := newKubectl(t, s)
		out := k.run("explain", "pod.spec.containers")
		require.Regexp(t, `(?s)^KIND: +Pod\nVERSION: +v1\n\nFIELD: containers <\[\]Container>\n\n\nDESCRIPTION:\n +List of containers belonging to the pod\.`, out)
		require.Regexp(t, `(?m)^  name\t<string> -required-\n    Name of the container specified as a DNS_LABEL\.`, out)
		require.Contains(t, k.run("explain", "service.spec.ports.targetPort"), "FIELD: targetPort <IntOrString>\n")
		require.Contains(t, k.run("explain", "deployment.spec.template.spec.containers.resources.limits"), "FIELD: limits <map[string]Quantity>\n")
		require.Contains(t, k.fail("explain", "pod.spec.nothing"), `field "nothing" does not exist`)
	})
	t.Run("explains kinds with all that is in them", func(t *testing.T) {
		k := newKubectl(t, s)
		out := k.run("explain", "--recursive", "deployment")
		require.Contains(t, out, "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n")
		require.Contains(t, out, "\n  spec\t<DeploymentSpec>\n    minReadySeconds\t<integer>\n")
		require.Contains(t, out, "\n            tcpSocket\t<TCPSocketAction>\n")
	})
	t.Run("creates and lists and labels", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("web.yaml", web)
		require.Equal(t, "deployment.apps/web created\nservice/web created\npod/web created\n", k.run("create", "-f", f))
		require.Regexp(t, `^NAME +AGE\npod/web +\d+s\n\nNAME +AGE\nservice/web +\d+s\n\nNAME +AGE\ndeployment.apps/web +\d+s\n$`, k.run("get", "all"))
		require.Regexp(t, `^NAME +AGE\nweb +\d+s\n$`, k.run("get", "po", "-o", "wide"))
		require.Equal(t, "Pending", k.run("get", "pod", "web", "-o", "jsonpath={.status.phase}"))
		require.Equal(t, "deployment.apps/web labeled\n", k.run("label", "deploy", "web", "tier=front"))
		require.Equal(t, "deployment.apps/web\n", k.run("get", "deploy", "-l", "tier=front", "-o", "name"))
		require.Equal(t, "1", k.run("get", "deploy", "web", "-o", "jsonpath={.metadata.generation}"))
	})
	t.Run("refuses what the types don't have", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("bad.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: [{name: a, imagee: b}]}\n")
		require.Contains(t, k.fail("create", "-f", f), `unknown field "spec.containers[0].imagee"`)
		f = k.file("wrong.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {ports: [{port: eighty}]}\n")
		require.Contains(t, k.fail("create", "-f", f), "ServicePort.spec.ports.port of type int32")
	})
	t.Run("scales", func(t *testing.T) {
		k := newKubectl(t, s)
		require.Equal(t, "deployment.apps/web scaled\n", k.run("scale", "deployment", "web", "--replicas=5"))
		require.Equal(t, "5 2", k.run("get", "deploy", "web", "-o", "jsonpath={.spec.replicas} {.metadata.generation}"))
		require.Contains(t, k.fail("scale", "deployment", "web", "--replicas=1", "--current-replicas=2"), "Expected replicas to be 2, was 5")
		require.Equal(t, "deployment.apps/web patched\n",
			k.run("patch", "deploy", "web", "--subresource", "status", "--type", "merge", "-p", `{"status":{"readyReplicas":4},"spec":{"replicas":9}}`))
		require.Equal(t, "5 4 2", k.run("get", "deploy", "web", "-o", "jsonpath={.spec.replicas} {.status.readyReplicas} {.metadata.generation}"))
	})
	t.Run("knows the other kinds", func(t *testing.T) {
		k := newKubectl(t, s)
		require.Equal(t, "role.rbac.authorization.k8s.io/r created\n", k.run("create", "role", "r", "--verb=get", "--resource=pods"))
		require.Equal(t, "cronjob.batch/c created\n", k.run("create", "cronjob", "c", "--image=nginx", "--schedule=1 * * * *"))
		require.Equal(t, "poddisruptionbudget.policy/b created\n", k.run("create", "pdb", "b", "--selector=app=web", "--min-available=1"))
		require.Equal(t, "ingress.networking.k8s.io/i created\n", k.run("create", "ingress", "i", "--rule=h/=web:80"))
		require.Regexp(t, `(?m)^horizontalpodautoscalers +hpa +autoscaling/v2 +true +HorizontalPodAutoscaler$`, k.run("api-resources"))
	})
}
