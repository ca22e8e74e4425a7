package builtin

import (
	"testing"
)

var documentSeeds = []string{
	fullPod, barePod, string(benchmarkDocument), storedPod(1),
	`{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:data":{"k:{\"a\":1}":{}}},"time":"2024-01-02T03:04:05Z"}]},"involvedObject":{}}`,
	`{"data":{"a":"\ud800","b":"YQ==","ü":"\u00fc\n"},"spec":{"renewTime":"2024-01-02T03:04:05.000001Z"},"eventTime":null}`,
	`{"spec":{"containers":[{"resources":{"limits":{"cpu":"1.5","memory":"2048Ki"}},"livenessProbe":{"grpc":{"port":1}}}]},"status":null}`,
	`{"spec":{"ports":[{"port":-1,"targetPort":"http"},{"targetPort":80}],"replicas":0,"strategy":{"rollingUpdate":{"maxSurge":"25%"}}}}`,
}

// FuzzEncodeMessage makes messages of any documents: they are those of the type, or the
// type has to make them.
func FuzzEncodeMessage(f *testing.F) {
	kinds := wireKinds()
	for _, seed := range documentSeeds {
		for i := range kinds {
			f.Add(uint8(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, document []byte) {
		kinds[int(kind)%len(kinds)].checkEncoding(t, document)
	})
}

// FuzzDecodeMessage makes documents of any messages, likewise.
func FuzzDecodeMessage(f *testing.F) {
	kinds := wireKinds()
	for _, seed := range documentSeeds {
		for i, k := range kinds {
			message, err := encodeMessage([]byte(seed), k.empty())
			if err == nil {
				f.Add(uint8(i), message)
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, message []byte) {
		kinds[int(kind)%len(kinds)].checkDecoding(t, message)
	})
}
