package fakeclient

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

// owners gives the managers of an object with their operations and subresources.
func owners(o client.Object) string {
	var all []string
	for _, e := range o.GetManagedFields() {
		all = append(all, strings.TrimSuffix(fmt.Sprintf("%s %s %s", e.Manager, e.Operation, e.Subresource), " "))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// applyPreview applies a configuration of a preview.
func (p *probe) applyPreview(manager string, spec map[string]any, opts ...client.ApplyOption) error {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": previewv1.GroupVersion.String(), "kind": "Preview",
		"metadata": map[string]any{"name": "p", "namespace": p.ns}, "spec": spec,
	}}
	return p.Apply(p.Context(), client.ApplyConfigurationFromUnstructured(u), append(opts, client.FieldOwner(manager))...)
}

func setting(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }

func applying() []behaviour {
	full := func(env ...any) map[string]any {
		return map[string]any{"image": "web:1", "host": "p.example.com", "env": env}
	}
	return []behaviour{
		{
			tried: "two managers apply an item each to a list of a custom resource that its definition merges by name",
			try: func(p *probe) string {
				p.must(p.applyPreview("one", full(setting("a", "1"))))
				err := p.applyPreview("two", map[string]any{"env": []any{setting("b", "2")}})
				return fmt.Sprintf("%s; %d items", p.said(err), len(again(p, &previewv1.Preview{ObjectMeta: p.meta("p")}).Spec.Env))
			},
			api: "done; 2 items", fake: `Conflict: Apply failed with 3 conflicts: conflicts with "one": - .spec.env - .spec.host - .spec.image; 1 items`,
		},
		{
			tried: "apply the same again",
			try: func(p *probe) string {
				p.must(p.applyPreview("one", full(setting("a", "1"))))
				before := again(p, p.preview("p"))
				p.must(p.applyPreview("one", full(setting("a", "1"))))
				return fmt.Sprintf("new version: %t", again(p, before).ResourceVersion != before.ResourceVersion)
			},
			api: "new version: false", fake: "new version: true",
		},
		{
			tried: "apply what breaks the schema of the definition",
			try: func(p *probe) string {
				spec := full(setting("a", "1"))
				spec["replicas"] = int64(11)
				return p.said(p.applyPreview("one", spec))
			},
			api: `Invalid: Preview.preview.example.com "p" is invalid: spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10`, fake: "done",
		},
		{
			tried: "who owns fields after a create, an update by another manager, and an update of the status",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o, client.FieldOwner("one")))
				o.Spec.Image = "web:2"
				p.must(p.Update(p.Context(), o, client.FieldOwner("two")))
				o.Status.Replicas = 1
				p.must(p.Status().Update(p.Context(), o, client.FieldOwner("three")))
				return owners(again(p, o))
			},
			api: "one Update, three Update status, two Update", fake: "one Update, three Update, two Update",
		},
		{
			tried: "apply replicas of a Deployment that were set through its scale",
			try: func(p *probe) string {
				apply := func(n int32) error {
					return p.Apply(p.Context(), appsapply.Deployment("d", p.ns).WithSpec(appsapply.DeploymentSpec().WithReplicas(n)), client.FieldOwner("one"))
				}
				d := p.deployment("d")
				p.must(p.Create(p.Context(), d, client.FieldOwner("zero")))
				scale := scaleOf(d, 3)
				p.must(p.SubResource("scale").Update(p.Context(), d, client.WithSubResourceBody(scale), client.FieldOwner("scaler")))
				return p.said(apply(2))
			},
			api: `Conflict: Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas`, fake: `Conflict: Apply failed with 2 conflicts: conflicts with "scaler" using apps/v1: - .spec.replicas conflicts with "zero" using apps/v1: - .spec.selector`,
		},
		{
			tried: "apply to a status: who owns it?",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), p.deployment("d"), client.FieldOwner("zero")))
				c := appsapply.Deployment("d", p.ns).WithStatus(appsapply.DeploymentStatus().WithReplicas(1))
				if err := p.Status().Apply(p.Context(), c, client.FieldOwner("one")); err != nil {
					return p.said(err)
				}
				return owners(again(p, p.deployment("d")))
			},
			api: "one Apply status, zero Update", fake: "one Apply, zero Update",
		},
		{
			tried: "apply a resource version that is not that of the object",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), p.configMap("m")))
				return p.said(p.Apply(p.Context(), coreapply.ConfigMap("m", p.ns).WithResourceVersion("1"), client.FieldOwner("one")))
			},
			api: `Conflict: Operation cannot be fulfilled on configmaps "m": the object has been modified; please apply your changes to the latest version and try again`, fake: `Conflict: Operation cannot be fulfilled on configmaps "m": object was modified`,
		},
	}
}

func patching() []behaviour {
	return []behaviour{
		{
			tried: "send a strategic merge patch to a custom resource",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				return p.said(p.Patch(p.Context(), o, client.RawPatch(types.StrategicMergePatchType, []byte(`{"spec":{"image":"web:2"}}`))))
			},
			api: "UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml", fake: "done",
		},
		{
			tried: "patch the generation and the time of creation",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				generation, created := o.Generation, o.CreationTimestamp
				err := p.Patch(p.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"generation":7,"creationTimestamp":"2001-01-01T00:00:00Z"}}`)))
				return fmt.Sprintf("%s; generation kept: %t, time kept: %t", p.said(err), o.Generation == generation, o.CreationTimestamp.Equal(&created))
			},
			api: "done; generation kept: true, time kept: true", fake: "done; generation kept: false, time kept: false",
		},
		{
			tried: "a JSON patch with a test that fails",
			try: func(p *probe) string {
				m := p.configMap("m", "k", "v")
				p.must(p.Create(p.Context(), m))
				return p.said(p.Patch(p.Context(), m, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"test","path":"/data/k","value":"w"}]`))))
			},
			api: "Invalid: the server rejected our request due to an error in our request", fake: "testing value /data/k failed: test failed",
		},
	}
}
