package builtin

import "testing"

// fullPod is a pod as a cluster would return it, with nothing left to complete.
const fullPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-5d4f8c7b9-abcde","namespace":"default","labels":{"app":"web","tier":"front"}},
	"spec":{"volumes":[{"name":"conf","configMap":{"name":"m","defaultMode":420}},{"name":"tmp","emptyDir":{}}],
	"containers":[{"name":"web","image":"example.com/web:1.2.3","ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
	"env":[{"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},{"name":"MODE","value":"fast"}],
	"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"250m","memory":"64Mi"}},
	"volumeMounts":[{"name":"conf","mountPath":"/etc/web"}],
	"livenessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
	"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],
	"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"web","serviceAccount":"web",
	"securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"Burstable"}}`

const barePod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"bare"},"spec":{"containers":[{"name":"c","image":"example.com/web"}]}}`

func BenchmarkPod(b *testing.B) {
	var pods row
	for _, r := range coreKinds(newTypes()) {
		if r.kind == "Pod" {
			pods = r
		}
	}
	for name, document := range map[string][]byte{"full": []byte(fullPod), "bare": []byte(barePod)} {
		b.Run("decode/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := pods.codec.DecodeJSON(document); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("complete/"+name, func(b *testing.B) {
			o, _, err := pods.codec.DecodeJSON(document)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if name == "bare" {
					o, _, _ = pods.codec.DecodeJSON(document)
				}
				pods.defaults(o)
			}
		})
	}
}
