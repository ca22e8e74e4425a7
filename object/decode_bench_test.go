package object_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// configMapJSON is a ConfigMap of about 1 KiB as a client sees it.
var configMapJSON = []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings-0001","namespace":"team-a",` +
	`"uid":"0d5f2f8e-0f53-4b3e-9a57-6a2f3c1d7e42","resourceVersion":"123456","creationTimestamp":"2026-03-01T12:00:00Z",` +
	`"labels":{"app":"shop","tier":"backend"},"annotations":{"example.com/owner":"team-a@example.com"},` +
	`"managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"v1","time":"2026-03-01T12:00:00Z",` +
	`"fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:config":{}}}}]},"data":{"config":"` + strings.Repeat("listen = 8080; ", 30) + `"}}`)

// podJSON is a Pod with one container and a full status.
var podJSON = []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7c5ddbdf54-abcde","generateName":"web-7c5ddbdf54-",` +
	`"namespace":"default","uid":"4f1b0d7a-5b0f-4a3b-8a24-5a1f2f8e0001","resourceVersion":"98765","generation":2,` +
	`"creationTimestamp":"2026-03-01T12:00:00Z","labels":{"app":"web","pod-template-hash":"7c5ddbdf54"},` +
	`"annotations":{"example.com/restarted-at":"2026-03-01T11:59:00Z"},` +
	`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7c5ddbdf54","uid":"9d3f0d7a-5b0f-4a3b-8a24-5a1f2f8e0002","controller":true,"blockOwnerDeletion":true}]},` +
	`"spec":{"volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],` +
	`"containers":[{"name":"web","image":"registry.example.com/web:1.2.3","ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],` +
	`"env":[{"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},{"name":"LEVEL","value":"info"}],` +
	`"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},` +
	`"volumeMounts":[{"name":"kube-api-access","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],` +
	`"livenessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},` +
	`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],` +
	`"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default",` +
	`"nodeName":"node-1","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},` +
	`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-03-01T12:00:05Z"},{"type":"PodScheduled","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-03-01T12:00:00Z"}],` +
	`"hostIP":"10.0.0.1","podIP":"10.1.0.17","podIPs":[{"ip":"10.1.0.17"}],"startTime":"2026-03-01T12:00:00Z","containerStatuses":[{"name":"web","state":{"running":{"startedAt":"2026-03-01T12:00:04Z"}},"lastState":{},"ready":true,"restartCount":0,"image":"registry.example.com/web:1.2.3","imageID":"registry.example.com/web@sha256:0123456789abcdef","containerID":"containerd://0123456789abcdef","started":true}],"qosClass":"Burstable"}}`)

func BenchmarkDecode(b *testing.B) {
	for name, data := range map[string][]byte{"ConfigMap": configMapJSON, "Pod": podJSON} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := object.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/EncodingJSON", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var m map[string]any
				if err := json.Unmarshal(data, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	for name, data := range map[string][]byte{"ConfigMap": configMapJSON, "Pod": podJSON} {
		o, err := object.Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = object.AppendJSON(buf[:0], o)
			}
		})
		b.Run(name+"/EncodingJSON", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := json.Marshal(map[string]any(o)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
