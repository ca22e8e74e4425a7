package webhook_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestReviewIsThatOfTheAPI(t *testing.T) {
	s := newServer(t)
	seven := func(h *webhook.Hook) { h.TimeoutSeconds = seconds(7) }
	old := func(h *webhook.Hook) { h.AdmissionReviewVersions = []string{"v2", "v1beta1", "v1"} }
	stage := validating(t, remote("a.example.com", s.at("/look/here"), seven), remote("b.example.com", s.at(""), old))

	scale := creation()
	scale.Operation, scale.OldObject, scale.DryRun, scale.Options = admission.Update, scale.Object, true, nil
	scale.Resource = object.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	scale.Subresource, scale.User = "scale", object.User{Name: "jo"}
	scale.Kind = object.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	scale.Object = object.Object{"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": map[string]any{"replicas": int64(4)}}
	scale.OldObject = scale.Object
	ofScale := validating(t, remote("a.example.com", s.at("/"), func(h *webhook.Hook) {
		h.Rules = []match.Rule{match.For("UPDATE").Of("apps", "*/scale")}
	}))

	const configMap = `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"},"metadata":{"name":"a","namespace":"ns","labels":{"mode":"strict"}}}`
	const about = `"kind":{"group":"","version":"v1","kind":"ConfigMap"},"requestKind":{"group":"","version":"v1","kind":"ConfigMap"},
		"resource":{"group":"","version":"v1","resource":"configmaps"},"requestResource":{"group":"","version":"v1","resource":"configmaps"},
		"userInfo":{"username":"jo","uid":"u-17","groups":["cooks"],"extra":{"scopes":["read","write"]}},"name":"a","namespace":"ns"`
	for _, c := range []struct {
		name  string
		stage *webhook.Validating
		req   *admission.Request
		want  map[string]string // by URI, without the uid
	}{
		{"creation", stage, creation(), map[string]string{
			"/look/here?timeout=7s": `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{` + about + `,"operation":"CREATE","dryRun":false,
				"object":` + configMap + `,"oldObject":null,"options":{"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions","fieldManager":"me"}}}`,
			"/?timeout=10s": `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{` + about + `,"operation":"CREATE","dryRun":false,
				"object":` + configMap + `,"oldObject":null,"options":{"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions","fieldManager":"me"}}}`,
		}},
		{"deletion", stage, deletion(), map[string]string{
			"/look/here?timeout=7s": `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{` + about + `,"operation":"DELETE","dryRun":false,
				"object":null,"oldObject":` + configMap + `,"options":{"apiVersion":"meta.k8s.io/v1","kind":"DeleteOptions"}}}`,
			"/?timeout=10s": `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{` + about + `,"operation":"DELETE","dryRun":false,
				"object":null,"oldObject":` + configMap + `,"options":{"apiVersion":"meta.k8s.io/v1","kind":"DeleteOptions"}}}`,
		}},
		{"part of an object, without saving it", ofScale, scale, map[string]string{
			"/?timeout=10s": `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"operation":"UPDATE","dryRun":true,"options":null,
				"kind":{"group":"autoscaling","version":"v1","kind":"Scale"},"requestKind":{"group":"autoscaling","version":"v1","kind":"Scale"},
				"resource":{"group":"apps","version":"v1","resource":"deployments"},"requestResource":{"group":"apps","version":"v1","resource":"deployments"},
				"subResource":"scale","requestSubResource":"scale","userInfo":{"username":"jo"},"name":"a","namespace":"ns",
				"object":{"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":4}},"oldObject":{"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":4}}}}`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, validate(t, c.stage, c.req))
			got := s.seen()
			require.Len(t, got, len(c.want))
			uids := map[any]bool{}
			for _, a := range got {
				require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, a.request["uid"])
				uids[a.request["uid"]] = true
				delete(a.request, "uid")
				require.JSONEq(t, c.want[a.uri], string(object.AppendJSON(nil, a.review)))
			}
			require.Len(t, uids, len(got), "each call has its own uid")
		})
	}
}

// versions are those of config maps in a world where they have two.
type versions struct{ failing bool }

func (versions) Equivalent(r object.GroupVersionResource, _ string) []match.Form {
	form := func(version string) match.Form {
		return match.Form{
			Resource: object.GroupVersionResource{Version: version, Resource: "configmaps"},
			Kind:     object.GroupVersionKind{Version: version, Kind: "ConfigMap"},
		}
	}
	return []match.Form{form("v1"), form("v2")}
}

func (v versions) Convert(_ context.Context, o object.Object, to object.GroupVersionKind) (object.Object, error) {
	if v.failing {
		return nil, object.BadRequest("no way")
	}
	o = o.DeepCopy()
	o.SetType(to.TypeMeta())
	return o, nil
}

func TestWebhookGetsTheFormThatItKnows(t *testing.T) {
	var seen []string
	look := func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		seen = append(seen, r.Kind.Version, r.Resource.Version, r.RequestKind.Version, r.RequestResource.Version, r.Object.APIVersion())
		r.Object["seen"] = r.Kind.Version
		return webhook.Allow(), nil
	}
	v2 := func(h *webhook.Hook) { h.Rules[0].APIVersions = []string{"v2"} }
	exact := func(h *webhook.Hook) { v2(h); h.MatchPolicy = "Exact" }
	config := configOf(t)
	config.Equivalence, config.Converter = versions{}, versions{}
	c := configuration(t, "c", function("a.example.com", look, v2), function("b.example.com", look, exact), function("c.example.com", look))
	req := creation()
	require.NoError(t, mutate(t, req, webhook.NewMutating(config, c)))
	require.Equal(t, []string{"v2", "v2", "v1", "v1", "v2", "v1", "v1", "v1", "v1", "v1"}, seen)
	require.Equal(t, "v1", req.Object.APIVersion(), "the object is brought back")
	require.Equal(t, "v1", req.Object["seen"])

	config.Converter = versions{failing: true}
	err := mutate(t, creation(), webhook.NewMutating(config, c))
	require.EqualError(t, err, "Internal error occurred: converting the object to /v2, Kind=ConfigMap for webhooks: no way")
	config.Converter = nil
	require.ErrorContains(t, mutate(t, creation(), webhook.NewMutating(config, c)), "there is no converter")
}
