package builtin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// storedPod is a pod as a store has it: 2.6 KB with one container, 4.6 KB with three.
func storedPod(containers int) string {
	const head = `{"metadata":{"name":"shop-0","namespace":"default","uid":"6d8a1d2e-2b4f-4a53-9f3c-0d1c6c6e2f11",` +
		`"resourceVersion":"1234","creationTimestamp":"2024-01-02T03:04:05Z",` +
		`"labels":{"app.kubernetes.io/instance":"p1","app.kubernetes.io/name":"shop","pod-template-hash":"5d4f8c7b9"},` +
		`"managedFields":[{"manager":"shop","operation":"Update","apiVersion":"v1","time":"2024-01-02T03:04:05Z","fieldsType":"FieldsV1",` +
		`"fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/name":{},"f:pod-template-hash":{}}},` +
		`"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:args":{},"f:env":{".":{},"k:{\"name\":\"SETTING_0\"}":{".":{},"f:name":{},"f:value":{}},` +
		`"k:{\"name\":\"SETTING_1\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"SETTING_2\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},` +
		`"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}}}}},"f:dnsPolicy":{},"f:nodeSelector":{}}}}]},` +
		`"spec":{"volumes":[{"name":"config","configMap":{"name":"shop","defaultMode":420}},{"name":"scratch","emptyDir":{}}],` +
		`"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"nodeSelector":{"kubernetes.io/os":"linux"},"priority":0,` +
		`"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"serviceAccountName":"shop",` +
		`"terminationGracePeriodSeconds":30,"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",` +
		`"effect":"NoExecute","tolerationSeconds":300}],"containers":[`
	const container = `{"name":"web","image":"registry.example.com/shop/web:v1.2.3","args":["--config=/etc/shop/config.yaml","--verbose"],` +
		`"ports":[{"name":"http-web","containerPort":8080,"protocol":"TCP"}],"env":[` +
		`{"name":"SETTING_0","value":"a value of some length"},{"name":"SETTING_1","value":"a value of some length"},` +
		`{"name":"SETTING_2","value":"a value of some length"},{"name":"SETTING_3","value":"a value of some length"},` +
		`{"name":"SETTING_4","value":"a value of some length"},{"name":"SETTING_5","value":"a value of some length"},` +
		`{"name":"SETTING_6","value":"a value of some length"},{"name":"SETTING_7","value":"a value of some length"}],` +
		`"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},` +
		`"volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/shop"},{"name":"scratch","mountPath":"/tmp"}],` +
		`"readinessProbe":{"httpGet":{"path":"/ready","port":8080,"scheme":"HTTP"},"periodSeconds":10},` +
		`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`
	return head + strings.Repeat(container+",", containers-1) + container + `]},"status":{"phase":"Pending","qosClass":"Burstable"}}`
}

// BenchmarkWire makes messages of documents and documents of messages, with and without
// values of the types.
func BenchmarkWire(b *testing.B) {
	for _, bench := range []struct {
		name, document string
		goType         reflect.Type
	}{
		{"ConfigMap", string(benchmarkDocument), reflect.TypeFor[corev1.ConfigMap]()},
		{"Pod", storedPod(1), reflect.TypeFor[corev1.Pod]()},
		{"Pod of three containers", storedPod(3), reflect.TypeFor[corev1.Pod]()},
	} {
		empty := func() goMessage { return reflect.New(bench.goType).Interface().(goMessage) }
		o, _, err := decodeTyped([]byte(bench.document), empty())
		require.NoError(b, err)
		shape, document := newTypes().shape(bench.goType), object.AppendJSON(nil, o)
		message, err := encodeMessage(document, empty())
		require.NoError(b, err)
		var e encoder
		var buf []byte
		for name, f := range map[string]func() bool{
			"encode": func() (ok bool) {
				buf, ok = e.appendMessage(buf[:0], shape, document)
				return ok
			},
			"encode by way of the type": func() bool {
				_, err := encodeMessage(document, empty())
				return err == nil
			},
			"decode": func() bool {
				var d decoder
				_, ok := d.document(shape, message)
				return ok
			},
			"decode by way of the type": func() bool {
				_, err := decodeMessage(message, empty())
				return err == nil
			},
			"decode JSON": func() bool {
				_, err := object.Decode(document)
				return err == nil
			},
		} {
			b.Run(bench.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					require.True(b, f())
				}
			})
		}
	}
}
