package fakeclient

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

func schemas() []behaviour {
	create := func(change func(o *previewv1.Preview)) func(p *probe) string {
		return func(p *probe) string {
			o := p.preview("p")
			change(o)
			return p.said(p.Create(p.Context(), o))
		}
	}
	return []behaviour{
		{
			tried: "defaults of a definition",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				return fmt.Sprintf("replicas %t, ttl %t", o.Spec.Replicas != nil, o.Spec.TTL != nil)
			},
			api: "replicas true, ttl true", fake: "replicas false, ttl false",
		},
		{
			tried: "a field that the schema of the definition has not",
			try: func(p *probe) string {
				w := p.widget("w", map[string]any{"size": int64(1), "colour": "red"})
				p.must(p.Create(p.Context(), w))
				return fmt.Sprint(again(p, w).Object["spec"])
			},
			api: "map[size:1]", fake: "map[colour:red size:1]",
		},
		{
			tried: "a number past its maximum", api: `Invalid: Preview.preview.example.com "p" is invalid: spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10`, fake: "done",
			try: create(func(o *previewv1.Preview) { o.Spec.Replicas = new(int32(11)) }),
		},
		{
			tried: "a text that does not match its pattern", api: `Invalid: Preview.preview.example.com "p" is invalid: spec.host: Invalid value: "No Host": spec.host in body should match '^[a-z0-9.-]+$'`, fake: "done",
			try: create(func(o *previewv1.Preview) { o.Spec.Host = "No Host" }),
		},
		{
			tried: "a CEL rule that is broken", api: `Invalid: Preview.preview.example.com "p" is invalid: spec.ttl: Invalid value: "1s": a preview lives for a minute at least`, fake: "done",
			try: create(func(o *previewv1.Preview) { o.Spec.TTL = &metav1.Duration{Duration: time.Second} }),
		},
		{
			tried: "a CEL rule about a change (`self == oldSelf`)", api: `Invalid: Preview.preview.example.com "p" is invalid: spec.host: Invalid value: "another.example.com": the host cannot be changed`, fake: "done",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				o.Spec.Host = "another.example.com"
				return p.said(p.Update(p.Context(), o))
			},
		},
		{
			tried: "a value of a wrong type", api: `Invalid: Widget.untyped.example.com "w" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`, fake: "done",
			try: func(p *probe) string {
				return p.said(p.Create(p.Context(), p.widget("w", map[string]any{"size": "big"})))
			},
		},
		{
			tried: "a status that breaks the schema", api: `Invalid: Preview.preview.example.com "p" is invalid: [status.conditions[0].status: Unsupported value: "Perhaps"`, fake: "done",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				o.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "Perhaps", Reason: "R", LastTransitionTime: metav1.Now()}}
				said, _, _ := strings.Cut(p.said(p.Status().Update(p.Context(), o)), ": supported values")
				return said
			},
		},
		{
			tried: "a kind that nobody has defined",
			try: func(p *probe) string {
				w := p.widget("w", nil)
				w.SetKind("Gadget")
				return p.said(p.Create(p.Context(), w))
			},
			api: `no matches for kind "Gadget" in version "untyped.example.com/v1"`, fake: "done",
		},
	}
}

func scaleOf(d *appsv1.Deployment, replicas int32) *autoscalingv1.Scale {
	return &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: d.Name, Namespace: d.Namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
}

func subresources() []behaviour {
	return []behaviour{
		{
			tried: "read the scale of a custom resource",
			try: func(p *probe) string {
				o := p.preview("p")
				o.Spec.Replicas = new(int32(2))
				p.must(p.Create(p.Context(), o))
				scale := &autoscalingv1.Scale{}
				err := p.SubResource("scale").Get(p.Context(), o, scale)
				return fmt.Sprintf("%s; replicas %d", p.said(err), scale.Spec.Replicas)
			},
			api: "done; replicas 2", fake: "unimplemented scale subresource for resource *v1.Preview; replicas 0",
		},
		{
			tried: "scale a custom resource past the maximum of its schema",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				scale := &autoscalingv1.Scale{ObjectMeta: p.meta("p"), Spec: autoscalingv1.ScaleSpec{Replicas: 11}}
				return p.said(p.SubResource("scale").Update(p.Context(), o, client.WithSubResourceBody(scale)))
			},
			api: `Invalid: Preview.preview.example.com "p" is invalid: spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10`, fake: "unimplemented scale subresource for resource *v1.Preview",
		},
		{
			tried: "the generation of a Deployment after its scale was changed",
			try: func(p *probe) string {
				d := p.deployment("d")
				p.must(p.Create(p.Context(), d))
				before := d.Generation
				p.must(p.SubResource("scale").Update(p.Context(), d, client.WithSubResourceBody(scaleOf(d, 3))))
				return fmt.Sprintf("+%d", again(p, d).Generation-before)
			},
			api: "+1", fake: "+0",
		},
		{
			tried: "read a status as a subresource",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				return p.said(p.SubResource("status").Get(p.Context(), o, p.preview("p")))
			},
			api: "done", fake: "fakeSubResourceClient does not support get for status",
		},
	}
}

func dryRuns() []behaviour {
	return []behaviour{
		{
			tried: "create as a dry run: what is the answer?",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o, client.DryRunAll))
				return fmt.Sprintf("uid %t, defaults %t", o.UID != "", o.Spec.Replicas != nil)
			},
			api: "uid true, defaults true", fake: "uid false, defaults false",
		},
		{
			tried: "create what exists, as a dry run",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), p.configMap("m")))
				return p.said(p.Create(p.Context(), p.configMap("m"), client.DryRunAll))
			},
			api: `AlreadyExists: configmaps "m" already exists`, fake: "done",
		},
		{
			tried: "patch as a dry run: what is the answer?",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				p.must(p.Patch(p.Context(), m, client.RawPatch(types.MergePatchType, []byte(`{"data":{"k":"v"}}`)), client.DryRunAll))
				return fmt.Sprint(m.Data)
			},
			api: "map[k:v]", fake: "map[]",
		},
		{
			tried: "update a stale object as a dry run",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				stale := m.DeepCopy()
				m.Data = map[string]string{"k": "v"}
				p.must(p.Update(p.Context(), m))
				stale.Data = map[string]string{"k": "w"}
				return p.said(p.Update(p.Context(), stale, client.DryRunAll))
			},
			api: `Conflict: Operation cannot be fulfilled on configmaps "m": the object has been modified; please apply your changes to the latest version and try again`, fake: "done",
		},
		{
			tried: "delete what is not there, as a dry run",
			try: func(p *probe) string {
				return p.said(p.Delete(p.Context(), p.configMap("m"), client.DryRunAll))
			},
			api: `NotFound: configmaps "m" not found`, fake: "done",
		},
	}
}
