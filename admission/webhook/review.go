package webhook

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Review is what a webhook is asked: the request of an AdmissionReview.
type Review struct {
	UID string // of this call

	// The request in the form that the webhook matched. Object and OldObject are of this Kind.
	Kind        object.GroupVersionKind
	Resource    object.GroupVersionResource
	Subresource string

	// What the client asked for.
	RequestKind        object.GroupVersionKind
	RequestResource    object.GroupVersionResource
	RequestSubresource string

	Name, Namespace string
	Operation       admission.Operation
	User            object.User
	DryRun          bool

	// Object is nil for deletions, OldObject for creations. All three are read-only, but for
	// Object as a webhook that mutates has it.
	Object, OldObject, Options object.Object
}

// question is a review on its way to webhooks, which all get the same but for the uid. It is
// encoded once, for those that want it so.
type question struct {
	review Review
	view   policy.View
	rest   []byte // of the JSON of the review, without its uid
}

func newQuestion(req *admission.Request, view policy.View) *question {
	q := &question{view: view, review: Review{
		Kind: view.Form.Kind, Resource: view.Form.Resource, Subresource: req.Subresource,
		Name: req.Name, Namespace: req.Namespace, Operation: req.Operation,
		User: req.User, DryRun: req.DryRun,
		Object: view.Object, OldObject: view.OldObject, Options: req.Options,
	}}
	q.review.RequestKind, q.review.RequestResource, q.review.RequestSubresource = req.Requested()
	return q
}

// encode prepares for json.
func (q *question) encode() {
	if q.rest == nil {
		q.rest = object.AppendJSON(nil, q.review.document())
	}
}

// json gives the AdmissionReview with a uid.
func (q *question) json(version, uid string) []byte {
	q.encode()
	const head, middle = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/`, `","request":{"uid":"`
	body := make([]byte, 0, len(head)+len(version)+len(middle)+len(uid)+len(q.rest)+3)
	body = append(body, head...)
	body = append(body, version...)
	body = append(body, middle...)
	body = append(body, uid...)
	body = append(body, `",`...)
	body = append(body, q.rest[1:]...) // behind its brace
	return append(body, '}')
}

// document gives the request as the API sends it, without the uid.
func (r *Review) document() map[string]any {
	d := map[string]any{
		"kind": admission.KindDocument(r.Kind), "resource": admission.ResourceDocument(r.Resource),
		"requestKind": admission.KindDocument(r.RequestKind), "requestResource": admission.ResourceDocument(r.RequestResource),
		"operation": string(r.Operation), "userInfo": admission.UserDocument(r.User), "dryRun": r.DryRun,
		"object": orNull(r.Object), "oldObject": orNull(r.OldObject), "options": orNull(r.Options),
	}
	for name, value := range map[string]string{
		"subResource": r.Subresource, "requestSubResource": r.RequestSubresource,
		"name": r.Name, "namespace": r.Namespace,
	} {
		if value != "" {
			d[name] = value
		}
	}
	return d
}

func orNull(o object.Object) any {
	if o == nil {
		return nil
	}
	return map[string]any(o)
}

// newUID makes a random uid (RFC 9562, version 4).
func newUID() string {
	var id [16]byte
	rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	text := hex.AppendEncode(make([]byte, 0, 32), id[:])
	return string(text[:8]) + "-" + string(text[8:12]) + "-" + string(text[12:16]) + "-" + string(text[16:20]) + "-" + string(text[20:])
}
