package builtin

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// completed decodes a document and completes it as a server does.
func completed(t *testing.T, kind, document string) (before, after object.Object) {
	t.Helper()
	r := find(t, kind)
	before = decode(t, r, document)
	after = before.DeepCopy()
	r.Versions[0].Default(after)
	return before, after
}

// changes gives what differs in after: maps with the members that do, and lists as maps
// from their indexes.
func changes(before, after any) any {
	out := map[string]any{}
	note := func(name string, before, after any) {
		if !(object.Object{"": before}).Equal(object.Object{"": after}) {
			out[name] = changes(before, after)
		}
	}
	switch after := after.(type) {
	case map[string]any:
		before, _ := before.(map[string]any)
		for name, v := range after {
			note(name, before[name], v)
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				out[name] = "(gone)"
			}
		}
		return out
	case []any:
		before, ok := before.([]any)
		if !ok || len(before) != len(after) {
			return after
		}
		for i := range after {
			note(strconv.Itoa(i), before[i], after[i])
		}
		return out
	}
	return after
}

func TestWhatDocumentsAreCompletedWith(t *testing.T) {
	// What every template of pods gets, around what its containers do.
	const pods = `"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30`
	const container = `"imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"`
	const template = `"template":{"spec":{` + pods + `,"containers":{"0":{` + container + `}}}}`
	const given = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}`

	tests := map[string]struct{ kind, document, want string }{
		"a deployment rolls": {
			"Deployment", `{"spec":{"selector":null,` + given + `}}`,
			`{"spec":{"replicas":1,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
				"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},` + template + `}}`,
		},
		"a deployment keeps what it says, zero among it": {
			"Deployment", `{"spec":{"selector":null,"replicas":0,"revisionHistoryLimit":0,"progressDeadlineSeconds":1,
				"strategy":{"rollingUpdate":{"maxSurge":0}},` + given + `}}`,
			`{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%"}},` + template + `}}`,
		},
		"a deployment that is made anew doesn't roll": {
			"Deployment", `{"spec":{"selector":null,"strategy":{"type":"Recreate"},` + given + `}}`,
			`{"spec":{"replicas":1,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,` + template + `}}`,
		},
		"a replica set": {"ReplicaSet", `{"spec":{"selector":null,` + given + `}}`, `{"spec":{"replicas":1,` + template + `}}`},
		"a stateful set with claims": {
			"StatefulSet", `{"spec":{"selector":null,"serviceName":"s",` + given + `,"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{}}]}}`,
			`{"spec":{"replicas":1,"revisionHistoryLimit":10,"podManagementPolicy":"OrderedReady",
				"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0,"maxUnavailable":1}},
				"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},
				"volumeClaimTemplates":{"0":{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}},` +
				template + `}}`,
		},
		"a stateful set that names its strategy and no more": {
			"StatefulSet", `{"spec":{"selector":null,"serviceName":"s","replicas":2,"revisionHistoryLimit":3,"podManagementPolicy":"Parallel",
				"persistentVolumeClaimRetentionPolicy":{"whenScaled":"Delete"},"updateStrategy":{"type":"RollingUpdate"},` + given + `}}`,
			`{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"},` + template + `}}`,
		},
		"a daemon set": {
			"DaemonSet", `{"spec":{"selector":null,` + given + `}}`,
			`{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"0"}},
				"spec":{"revisionHistoryLimit":10,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":0,"maxUnavailable":1}},` + template + `}}`,
		},
		"a replication controller selects and is labelled like its pods": {
			"ReplicationController", `{"spec":{` + given + `}}`,
			`{"metadata":{"labels":{"a":"b"}},"spec":{"replicas":1,"selector":{"a":"b"},` + template + `}}`,
		},
		"a replication controller with labels": {
			"ReplicationController", `{"metadata":{"labels":{"x":"y"}},"spec":{"replicas":0,"selector":{"z":"z"},` + given + `}}`,
			`{"spec":{` + template + `}}`,
		},
		"a job runs once": {
			"Job", `{"spec":{` + given + `}}`,
			`{"metadata":{"labels":{"a":"b"}},"spec":{"completions":1,"parallelism":1,"backoffLimit":6,"completionMode":"NonIndexed","suspend":false,
				"manualSelector":false,"podReplacementPolicy":"TerminatingOrFailed",` + template + `}}`,
		},
		"a job that says how it fails": {
			"Job", `{"metadata":{"labels":{"x":"y"}},"spec":{"parallelism":3,"backoffLimitPerIndex":1,"completionMode":"Indexed",
				"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"T"},{"type":"F","status":"False"}]}]},` + given + `}}`,
			`{"spec":{"backoffLimit":2147483647,"suspend":false,"manualSelector":false,"podReplacementPolicy":"Failed",
				"podFailurePolicy":{"rules":{"0":{"onPodConditions":{"0":{"status":"True"}}}}},` + template + `}}`,
		},
		"a cron job, whose jobs are not jobs yet": {
			"CronJob", `{"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{` + given + `}}}}`,
			`{"spec":{"concurrencyPolicy":"Allow","suspend":false,"successfulJobsHistoryLimit":3,"failedJobsHistoryLimit":1,
				"jobTemplate":{"spec":{` + template + `}}}}`,
		},
		"a template of pods": {"PodTemplate", `{` + given + `}`, `{` + template + `}`},
		"a service": {
			"Service", `{"spec":{"ports":[{"port":80},{"port":81,"targetPort":"web","protocol":"UDP"},{"port":82,"targetPort":7}]}}`,
			`{"spec":{"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",
				"ports":{"0":{"protocol":"TCP","targetPort":80},"2":{"protocol":"TCP"}}}}`,
		},
		"a service on the ports of nodes": {
			"Service", `{"spec":{"type":"NodePort","sessionAffinity":"ClientIP"}}`,
			`{"spec":{"internalTrafficPolicy":"Cluster","externalTrafficPolicy":"Cluster","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}}}}`,
		},
		"a service behind a balancer": {
			"Service", `{"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":1}}},
				"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"},{"hostname":"h"}]}}}`,
			`{"spec":{"sessionAffinity":"None","sessionAffinityConfig":"(gone)","internalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true},
				"status":{"loadBalancer":{"ingress":{"0":{"ipMode":"VIP"}}}}}`,
		},
		"a service with addresses outside": {
			"Service", `{"spec":{"externalIPs":["192.0.2.1"]}}`,
			`{"spec":{"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster","externalTrafficPolicy":"Cluster"}}`,
		},
		"a service that is a name": {
			"Service", `{"spec":{"type":"ExternalName","externalName":"n"}}`, `{"spec":{"sessionAffinity":"None"}}`,
		},
		"a claim": {
			"PersistentVolumeClaim", `{"spec":{"resources":{"requests":{"storage":"0.0001"}}}}`,
			`{"spec":{"volumeMode":"Filesystem","resources":{"requests":{"storage":"1m"}}},"status":{"phase":"Pending"}}`,
		},
		"a volume": {
			"PersistentVolume", `{"spec":{"hostPath":{"path":"/"},"capacity":{"storage":"1500u"}}}`,
			`{"spec":{"hostPath":{"type":""},"persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem","capacity":{"storage":"2m"}},"status":{"phase":"Pending"}}`,
		},
		"a node lets pods have all": {
			"Node", `{"status":{"capacity":{"cpu":"1100u"}}}`, `{"status":{"capacity":{"cpu":"2m"},"allocatable":{"cpu":"2m"}}}`,
		},
		"a storage class": {"StorageClass", `{"provisioner":"p"}`, `{"reclaimPolicy":"Delete","volumeBindingMode":"Immediate"}`},
		"a policy with rules for what goes out": {
			"NetworkPolicy", `{"spec":{"podSelector":{},"egress":[{"ports":[{"port":1}]}]}}`,
			`{"spec":{"policyTypes":["Ingress","Egress"],"egress":{"0":{"ports":{"0":{"protocol":"TCP"}}}}}}`,
		},
		"a policy that says what it is about": {"NetworkPolicy", `{"spec":{"podSelector":{},"policyTypes":["Egress"]}}`, `{}`},
		"a class of ingresses": {
			"IngressClass", `{"spec":{"controller":"c","parameters":{"kind":"k","name":"n"}}}`, `{"spec":{"parameters":{"scope":"Cluster"}}}`,
		},
		"a binding": {
			"RoleBinding", `{"roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"u"},{"kind":"ServiceAccount","name":"a"}]}`,
			`{"roleRef":{"apiGroup":"rbac.authorization.k8s.io"},"subjects":{"0":{"apiGroup":"rbac.authorization.k8s.io"}}}`,
		},
		"an autoscaler": {
			"HorizontalPodAutoscaler", `{"spec":{"maxReplicas":2}}`,
			`{"spec":{"minReplicas":1,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]}}`,
		},
		"an autoscaler that behaves": {
			"HorizontalPodAutoscaler", `{"spec":{"minReplicas":1,"maxReplicas":2,"metrics":[{"type":"Resource"}],"behavior":{"scaleDown":{"selectPolicy":"Min"}}}}`,
			`{"spec":{"behavior":{
				"scaleUp":{"selectPolicy":"Max","stabilizationWindowSeconds":0,"policies":[
					{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,"periodSeconds":15}]},
				"scaleDown":{"policies":[{"type":"Percent","value":100,"periodSeconds":15}]}}}}`,
		},
		"endpoints":             {"Endpoints", `{"subsets":[{"ports":[{"port":1}]}]}`, `{"subsets":{"0":{"ports":{"0":{"protocol":"TCP"}}}}}`},
		"a slice of endpoints":  {"EndpointSlice", `{"endpoints":null,"ports":[{"port":1}]}`, `{"ports":{"0":{"name":"","protocol":"TCP"}}}`},
		"nothing of a document": {"Deployment", `{"spec":null}`, `{"spec":{"replicas":1,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},"template":{"spec":{` + pods + `}}}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := completed(t, tc.kind, tc.document)
			diff, _ := changes(map[string]any(before), map[string]any(after)).(map[string]any)
			require.JSONEq(t, tc.want, asJSON(t, diff))

			again := after.DeepCopy()
			find(t, tc.kind).Versions[0].Default(again)
			require.Equal(t, after, again, "what is complete stays as it is")
		})
	}
}

func TestWhatPodsAreCompletedWith(t *testing.T) {
	const ofAll = `"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"enableServiceLinks":true`
	const container = `"imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"`
	tests := map[string]struct{ document, want string }{
		"nothing is said": {`{"spec":{}}`, `{"spec":{"terminationGracePeriodSeconds":30,` + ofAll + `}}`},
		"all is said": {
			`{"spec":{"dnsPolicy":"Default","restartPolicy":"Never","schedulerName":"s","terminationGracePeriodSeconds":0,"enableServiceLinks":false,
				"securityContext":{"runAsNonRoot":true},"containers":[{"name":"c","image":"i","imagePullPolicy":"Never",
				"terminationMessagePath":"/p","terminationMessagePolicy":"FallbackToLogsOnError"}]}}`, `{}`,
		},
		"negative time to end": {`{"spec":{"terminationGracePeriodSeconds":-3}}`, `{"spec":{"terminationGracePeriodSeconds":1,` + ofAll + `}}`},
		"the old name of the account": {
			`{"spec":{"serviceAccount":"a","terminationGracePeriodSeconds":1}}`, `{"spec":{"serviceAccountName":"a",` + ofAll + `}}`,
		},
		"both names of the account": {
			`{"spec":{"serviceAccount":"a","serviceAccountName":"b","terminationGracePeriodSeconds":1}}`, `{"spec":{"serviceAccount":"b",` + ofAll + `}}`,
		},
		"ports on the network of the host": {
			`{"spec":{"hostNetwork":true,"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":1},{"containerPort":2,"hostPort":3,"protocol":"UDP"}]}]}}`,
			`{"spec":{` + ofAll + `,"containers":{"0":{` + container + `,"ports":{"0":{"hostPort":1,"protocol":"TCP"}}}}}}`,
		},
		"probes and hooks": {
			`{"spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"i:1","livenessProbe":{"httpGet":{"port":1}},"readinessProbe":{"grpc":{"port":1},"periodSeconds":2},
				"startupProbe":{"failureThreshold":9,"httpGet":{"path":"/p","port":1,"scheme":"HTTPS"}},"lifecycle":{"preStop":{"httpGet":{"port":1}}}}]}}`,
			`{"spec":{` + ofAll + `,"containers":{"0":{` + container + `,
				"livenessProbe":{"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3,"httpGet":{"path":"/","scheme":"HTTP"}},
				"readinessProbe":{"timeoutSeconds":1,"successThreshold":1,"failureThreshold":3,"grpc":{"service":""}},
				"startupProbe":{"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1},
				"lifecycle":{"preStop":{"httpGet":{"path":"/","scheme":"HTTP"}}}}}}}`,
		},
		"variables": {
			`{"spec":{"terminationGracePeriodSeconds":1,"ephemeralContainers":[{"name":"c","image":"i:1","env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"p"}}},
				{"name":"B","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"p","key":"k"}}}]}]}}`,
			`{"spec":{` + ofAll + `,"ephemeralContainers":{"0":{` + container + `,"env":{"0":{"valueFrom":{"fieldRef":{"apiVersion":"v1"}}},"1":{"valueFrom":{"fileKeyRef":{"optional":false}}}}}}}}`,
		},
		"limits are requests": {
			`{"spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"i:1","resources":{"limits":{"cpu":"1","memory":"100u"},"requests":{"memory":"50u"}}}],
				"initContainers":[{"name":"i","image":"i:1","resources":{"limits":{"cpu":"1"}}}]}}`,
			`{"spec":{` + ofAll + `,"containers":{"0":{` + container + `,"resources":{"limits":{"memory":"1m"},"requests":{"cpu":"1","memory":"1m"}}}},
				"initContainers":{"0":{` + container + `,"resources":{"requests":{"cpu":"1"}}}}}}`,
		},
		"volumes": {
			`{"spec":{"terminationGracePeriodSeconds":1,"volumes":[{"name":"a"},{"name":"b","secret":{}},{"name":"c","configMap":{"defaultMode":0}},
				{"name":"d","projected":{"sources":[{"serviceAccountToken":{"path":"p"}},{"downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"f"}}]}}]}},
				{"name":"e","hostPath":{"path":"/"}},{"name":"f","azureDisk":{"diskName":"n","diskURI":"u","fsType":""}},{"name":"g","image":{"reference":"r"}},
				{"name":"h","ephemeral":{"volumeClaimTemplate":{"spec":{}}}},{"name":"i","nfs":{"server":"s","path":"/"}}]}}`,
			`{"spec":{` + ofAll + `,"volumes":{"0":{"emptyDir":{}},"1":{"secret":{"defaultMode":420}},
				"3":{"projected":{"defaultMode":420,"sources":{"0":{"serviceAccountToken":{"expirationSeconds":3600}},"1":{"downwardAPI":{"items":{"0":{"fieldRef":{"apiVersion":"v1"}}}}}}}},
				"4":{"hostPath":{"type":""}},"5":{"azureDisk":{"cachingMode":"ReadWrite","readOnly":false,"kind":"Shared"}},"6":{"image":{"pullPolicy":"Always"}},
				"7":{"ephemeral":{"volumeClaimTemplate":{"spec":{"volumeMode":"Filesystem"}}}}}}}`,
		},
		"addresses that differ": {
			`{"spec":{"terminationGracePeriodSeconds":1},"status":{"podIP":"192.0.2.1","podIPs":[{"ip":"192.0.2.2"},{"ip":"192.0.2.3"}]}}`,
			`{"spec":{` + ofAll + `},"status":{"podIPs":[{"ip":"192.0.2.1"}]}}`,
		},
		"only the list of addresses": {
			`{"spec":{"terminationGracePeriodSeconds":1},"status":{"podIPs":[{"ip":"192.0.2.2"}]}}`, `{"spec":{` + ofAll + `},"status":{"podIP":"192.0.2.2"}}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := completed(t, "Pod", tc.document)
			diff, _ := changes(map[string]any(before), map[string]any(after)).(map[string]any)
			require.JSONEq(t, tc.want, asJSON(t, diff))
		})
	}
}

func TestWhenImagesArePulled(t *testing.T) {
	tests := map[string]string{
		"i":                            "Always",
		"i:latest":                     "Always",
		"example.com:5000/i":           "Always",
		"example.com:5000/i:latest":    "Always",
		"i:1":                          "IfNotPresent",
		"example.com:5000/i:v1":        "IfNotPresent",
		"i@sha256:" + zeros(64):        "IfNotPresent",
		"i:1@sha256:" + zeros(64):      "IfNotPresent",
		"Not/Valid":                    "IfNotPresent",
		"":                             "IfNotPresent",
		"i:latest@sha256:" + zeros(64): "Always",
	}
	for image, want := range tests {
		t.Run(image, func(t *testing.T) {
			_, after := completed(t, "Pod", fmt.Sprintf(`{"spec":{"containers":[{"name":"c","image":%q}]}}`, image))
			require.Equal(t, want, text(list(after, "spec", "containers")[0].(map[string]any), "imagePullPolicy"))
		})
	}
}

func zeros(n int) string { return fmt.Sprintf("%0*d", n, 0) }

func TestCompletedDocumentsShareNothing(t *testing.T) {
	r := find(t, "ReplicationController")
	const document = `{"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}]}}}}`
	a, b := decode(t, r, document), decode(t, r, document)
	r.Versions[0].Default(a)
	r.Versions[0].Default(b)
	want := b.DeepCopy()
	poison(map[string]any(a))
	require.Equal(t, want, b)

	_, pod := completed(t, "Pod", `{"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1"}}}]}}`)
	resources := list(pod, "spec", "containers")[0].(map[string]any)["resources"].(map[string]any)
	mapping(resources, "limits")["cpu"] = "2"
	require.Equal(t, "1", mapping(resources, "requests")["cpu"])
	_, rc := completed(t, "ReplicationController", document)
	mapping(rc, "spec", "selector")["x"] = "y"
	require.Equal(t, map[string]any{"a": "b"}, mapping(rc, "metadata", "labels"))
	require.Equal(t, map[string]any{"a": "b"}, mapping(rc, "spec", "template", "metadata", "labels"))
}

// poison adds to every map of a value.
func poison(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			poison(member)
		}
		v["poison"] = true
	case []any:
		for _, element := range v {
			poison(element)
		}
	}
}
