package quota

import (
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

var claims = measure{
	resource: object.GroupResource{Resource: "persistentvolumeclaims"},
	counts:   countsForClaims,
	usage:    claimUsage,
	inScope:  claimInScope,
	concerns: func(req *admission.Request) bool {
		return req.Subresource == "" && isCreateOrUpdate(req) || req.Subresource == "status"
	},
}

// ofClass stands between the name of a storage class and what a quota limits of it.
const ofClass = ".storageclass.storage.k8s.io/"

func countsForClaims(name string) bool {
	if _, rest, ok := strings.Cut(name, ofClass); ok {
		name = rest
	}
	switch name {
	case "persistentvolumeclaims", "requests.storage", "count/persistentvolumeclaims":
		return true
	}
	return false
}

func claimUsage(claim object.Object) (amounts.Amounts, error) {
	used := amounts.Amounts{"persistentvolumeclaims": one, "count/persistentvolumeclaims": one}
	class := storageClass(claim)
	if class != "" {
		used[class+ofClass+"persistentvolumeclaims"] = one
	}
	storage, ok, err := storageOf(claim)
	if err != nil || !ok {
		return used, err
	}
	used["requests.storage"] = storage
	if class != "" {
		used[class+ofClass+"requests.storage"] = storage
	}
	return used, nil
}

func storageClass(claim object.Object) string {
	if class, ok := claim.Annotations()["volume.beta.kubernetes.io/storage-class"]; ok {
		return class
	}
	v, _ := claim.Field("spec", "storageClassName")
	class, _ := v.(string)
	return class
}

// storageOf is what a claim asks for, or what it was given if that is more, in whole bytes.
func storageOf(claim object.Object) (_ quantity.Quantity, ok bool, err error) {
	asked, err := amounts.Read(claim, "spec", "resources", "requests")
	if err != nil || !asked.Has("storage") {
		return quantity.Quantity{}, false, err
	}
	given, err := amounts.Read(claim, "status", "allocatedResources")
	if err != nil {
		return quantity.Quantity{}, false, err
	}
	storage := asked["storage"]
	if given["storage"].Compare(storage) > 0 {
		storage = given["storage"]
	}
	return storage.RoundedUp(0), true, nil
}

var deviceClaims = measure{
	resource: object.GroupResource{Group: "resource.k8s.io", Resource: "resourceclaims"},
	counts: func(name string) bool {
		return name == "count/resourceclaims.resource.k8s.io" || strings.HasSuffix(name, ofDeviceClass)
	},
	usage:    deviceClaimUsage,
	concerns: func(req *admission.Request) bool { return req.Subresource == "" && isCreateOrUpdate(req) },
}

// ofDeviceClass stands behind the name of a class of devices.
const ofDeviceClass = ".deviceclass.resource.k8s.io/devices"

// deviceClaimUsage counts the devices that a claim may get at most.
func deviceClaimUsage(claim object.Object) (amounts.Amounts, error) {
	used := amounts.Amounts{"count/resourceclaims.resource.k8s.io": one}
	v, _ := claim.Field("spec", "devices", "requests")
	requests, _ := v.([]any)
	for _, v := range requests {
		request, _ := v.(map[string]any)
		most := amounts.Amounts{}
		if alternatives, _ := request["firstAvailable"].([]any); len(alternatives) > 0 {
			for _, v := range alternatives {
				name, n := devices(v)
				if n.Compare(most[name]) > 0 {
					most[name] = n
				}
			}
		} else if request["exactly"] != nil {
			name, n := devices(request["exactly"])
			most[name] = n
		}
		used = used.Plus(most)
	}
	return used, nil
}

// maxDevices is how many devices a claim gets at most.
const maxDevices = 32

// devices gives the name of what a request uses up, and how much of it.
func devices(v any) (string, quantity.Quantity) {
	request, _ := v.(map[string]any)
	class, _ := request["deviceClassName"].(string)
	var n int64
	switch request["allocationMode"] {
	case "ExactCount":
		n, _ = request["count"].(int64)
	case "All":
		n = maxDevices
	}
	return class + ofDeviceClass, quantity.Of(n)
}
