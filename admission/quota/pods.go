package quota

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

var pods = measure{
	resource: object.GroupResource{Resource: "pods"},
	counts:   countsForPods,
	usage:    podUsage,
	inScope:  podInScope,
	concerns: concernsPods,
	missing:  missingInPod,
}

// computeNames are what containers ask for and may not exceed, under the names of quotas.
var computeNames = []string{"cpu", "memory", "ephemeral-storage"}

func countsForPods(name string) bool {
	switch name {
	case "pods", "count/pods":
		return true
	}
	rest, isRequest := strings.CutPrefix(name, "requests.")
	limit, isLimit := strings.CutPrefix(name, "limits.")
	switch {
	case slices.Contains(computeNames, rest), isLimit && slices.Contains(computeNames, limit):
		return true
	case strings.HasPrefix(rest, "hugepages-"):
		return true
	}
	return isRequest && (isExtended(name) || strings.HasPrefix(rest, devicePrefix))
}

// devicePrefix stands in front of the class of devices that a container asks for.
const devicePrefix = "deviceclass.resource.kubernetes.io/"

// isExtended says whether a resource is none of the API's own.
func isExtended(name string) bool {
	return strings.Contains(name, "/") && !strings.Contains(name, "kubernetes.io/")
}

func podUsage(pod object.Object) (amounts.Amounts, error) {
	used := amounts.Amounts{"count/pods": one}
	if hasEnded(pod) {
		return used, nil
	}
	requests, err := amounts.Effective(pod, amounts.Requests)
	if err != nil {
		return nil, err
	}
	limits, err := amounts.Effective(pod, amounts.Limits)
	if err != nil {
		return nil, err
	}
	used["pods"] = one
	return used.Plus(compute(requests, limits)), nil
}

// hasEnded says whether a pod uses nothing any more: it finished, or it should have been gone
// by now, as one whose node is lost.
func hasEnded(pod object.Object) bool {
	switch phase, _ := pod.Field("status", "phase"); phase {
	case "Failed", "Succeeded":
		return true
	}
	since := pod.DeletionTimestamp()
	grace, ok := pod.DeletionGracePeriodSeconds()
	return !since.IsZero() && ok && time.Now().After(since.Add(time.Duration(grace)*time.Second))
}

// compute gives requests and limits the names of quotas.
func compute(requests, limits amounts.Amounts) amounts.Amounts {
	used := amounts.Amounts{}
	for name, q := range requests {
		switch {
		case slices.Contains(computeNames, name), strings.HasPrefix(name, "hugepages-"):
			used[name], used["requests."+name] = q, q
		case isExtended(name) && !strings.HasPrefix(name, "requests."), strings.HasPrefix(name, devicePrefix):
			used["requests."+name] = q
		}
	}
	for _, name := range computeNames {
		if q, ok := limits[name]; ok {
			used["limits."+name] = q
		}
	}
	return used
}

// concernsPods: what a pod uses is known when it is created, and changes if it is resized
// or comes into another scope.
func concernsPods(req *admission.Request) bool {
	switch req.Subresource {
	case "":
		return req.Operation == admission.Create ||
			req.Operation == admission.Update && isTerminating(req.Object) != isTerminating(req.OldObject)
	case "resize":
		return req.Operation == admission.Update
	}
	return false
}

// mandatory are the names that containers must say something of once a quota limits them.
var mandatory = []string{"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}

func missingInPod(pod object.Object, names []string) error {
	if amounts.SetForWholePod(pod) {
		return nil
	}
	missing := map[string][]string{} // the names of containers
	for _, field := range []string{"containers", "initContainers"} {
		for _, c := range amounts.Containers(pod, field) {
			requests, err := amounts.Of(c, amounts.Requests)
			if err != nil {
				return err
			}
			limits, err := amounts.Of(c, amounts.Limits)
			if err != nil {
				return err
			}
			said := compute(requests, limits)
			for _, name := range names {
				if slices.Contains(mandatory, name) && !said.Has(name) {
					container, _ := c["name"].(string)
					missing[name] = append(missing[name], container)
				}
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var texts []string
	for name, containers := range missing {
		slices.Sort(containers)
		texts = append(texts, name+" for: "+strings.Join(slices.Compact(containers), ","))
	}
	slices.Sort(texts)
	return fmt.Errorf("must specify %s", strings.Join(texts, "; "))
}
