package quota

import (
	"testing"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// FuzzDemands measures any documents under any quota: nothing panics, and what fits once fits
// into what is left.
func FuzzDemands(f *testing.F) {
	text := `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"2"}},"status":{"hard":{"pods":"2","cpu":"1"},"used":{"pods":"1","cpu":"0"}}}`
	f.Add("pods", text, `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}`, `{}`)
	f.Add("services", text, `{"spec":{"type":"LoadBalancer","ports":[1,{}]}}`, `{"metadata":{"resourceVersion":"1"},"spec":{"ports":[{}]}}`)
	f.Add("persistentvolumeclaims", text, `{"spec":{"resources":{"requests":{"storage":"1Gi"}}},"status":{"allocatedResources":{"storage":1}}}`, `{}`)
	f.Add("resourceclaims", text, `{"spec":{"devices":{"requests":[{"exactly":{}},{"firstAvailable":[{"count":3}]}]}}}`, `{}`)
	f.Add("secrets", `{"spec":{"scopes":[1],"scopeSelector":{"matchExpressions":[{"operator":"In","values":"a"}]}}}`, `{}`, `{}`)
	f.Fuzz(func(t *testing.T, resource, quotaText, newText, oldText string) {
		document, err := object.Decode([]byte(quotaText))
		if err != nil {
			return
		}
		q, err := parse(document)
		if err != nil {
			return
		}
		o, err := object.Decode([]byte(newText))
		if err != nil {
			return
		}
		gr := object.GroupResource{Resource: resource}
		if resource == "resourceclaims" {
			gr.Group = "resource.k8s.io"
		}
		m := measureOf(gr)
		req := &admission.Request{Operation: admission.Create, Object: o}
		if old, err := object.Decode([]byte(oldText)); err == nil && len(old) > 0 {
			req.Operation, req.OldObject = admission.Update, old
		}
		_ = m.concerns(req)
		wanted, err := demands([]*quota{q}, m, req)
		if err != nil {
			return
		}
		for _, d := range wanted {
			if d.fits(req) == nil {
				for name, used := range q.used.Plus(d.asked).Only(d.asked.Has) {
					if used.Compare(q.hard[name]) > 0 {
						t.Errorf("%s of %s passed", used, q.hard[name])
					}
				}
			}
		}
	})
}
