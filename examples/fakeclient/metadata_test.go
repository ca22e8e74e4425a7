package fakeclient

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func filledIn() []behaviour {
	return []behaviour{
		{
			tried: "create an object: has it a uid and a time of creation?",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				return fmt.Sprintf("uid %t, time %t", m.UID != "", !m.CreationTimestamp.IsZero())
			},
			api: "uid true, time true", fake: "uid false, time false",
		},
		{
			tried: "create a Secret with `stringData`",
			try: func(p *probe) string {
				s := &corev1.Secret{ObjectMeta: p.meta("s"), StringData: map[string]string{"k": "v"}}
				p.must(p.Create(p.Context(), s))
				s = again(p, s)
				return fmt.Sprintf("data has %d, stringData %d, type %q", len(s.Data), len(s.StringData), s.Type)
			},
			api: `data has 1, stringData 0, type "Opaque"`, fake: `data has 0, stringData 1, type ""`,
		},
		{
			tried: "create objects with `generateName: UPPER-`",
			try: func(p *probe) string {
				m := p.configMap("")
				m.GenerateName = "UPPER-"
				said := p.said(p.Create(p.Context(), m))
				_, of, _ := strings.Cut(said, "is invalid: [")
				of, _, _ = strings.Cut(of, ": a ")
				return cmp.Or(of, said)
			},
			api: `metadata.generateName: Invalid value: "UPPER-"`, fake: "done",
		},
		{
			tried: "create a Namespace",
			try: func(p *probe) string {
				n := again(p, namespace(p.ns))
				return fmt.Sprintf("labels %d, phase %q, finalizers %d", len(n.Labels), n.Status.Phase, len(n.Spec.Finalizers))
			},
			api: `labels 1, phase "Active", finalizers 1`, fake: `labels 0, phase "", finalizers 0`,
		},
	}
}

func versions() []behaviour {
	return []behaviour{
		{
			tried: "update an object with what it has already",
			try: func(p *probe) string {
				m := p.configMap("m", "k", "v")
				p.must(p.Create(p.Context(), m))
				before := m.ResourceVersion
				p.must(p.Update(p.Context(), m))
				return fmt.Sprintf("new version: %t", m.ResourceVersion != before)
			},
			api: "new version: false", fake: "new version: true",
		},
		{
			tried: "update an object that was changed meanwhile",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				stale := m.DeepCopy()
				m.Data = map[string]string{"k": "v"}
				p.must(p.Update(p.Context(), m))
				stale.Data = map[string]string{"k": "w"}
				return p.said(p.Update(p.Context(), stale))
			},
			api: `Conflict: Operation cannot be fulfilled on configmaps "m": the object has been modified; please apply your changes to the latest version and try again`, fake: `Conflict: Operation cannot be fulfilled on configmaps "m": object was modified`,
		},
		{
			tried: "update a custom resource without a resource version",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), p.preview("p")))
				next := p.preview("p")
				next.Spec.Image = "web:2"
				return p.said(p.Update(p.Context(), next))
			},
			api: `Invalid: previews.preview.example.com "p" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`, fake: `Conflict: Operation cannot be fulfilled on previews.preview.example.com "p": object was modified`,
		},
		{
			tried: "create with a resource version",
			try: func(p *probe) string {
				m := p.configMap("m")
				m.ResourceVersion = "1"
				return p.said(p.Create(p.Context(), m))
			},
			api: "resourceVersion should not be set on objects to be created", fake: "BadRequest: resourceVersion can not be set for Create requests",
		},
		{
			tried: "update an object that was deleted and created again, with its old uid and no version",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				old := m.DeepCopy()
				p.must(p.Delete(p.Context(), m))
				p.must(p.Create(p.Context(), p.configMap("m")))
				old.ResourceVersion = ""
				if old.UID == "" {
					old.UID = "an-old-one"
				}
				said := p.said(p.Update(p.Context(), old))
				head, _, _ := strings.Cut(said, " StorageError")
				return head
			},
			api: `Conflict: Operation cannot be fulfilled on configmaps "m":`, fake: "done",
		},
		{
			tried: "is the version of a list newer than those of its items?",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				list := &corev1.ConfigMapList{}
				p.must(p.List(p.Context(), list, client.InNamespace(p.ns)))
				of, _ := strconv.ParseUint(list.ResourceVersion, 10, 64)
				item, _ := strconv.ParseUint(m.ResourceVersion, 10, 64)
				return fmt.Sprint(of >= item)
			},
			api: "true", fake: "false",
		},
	}
}

func generations() []behaviour {
	return []behaviour{
		{
			tried: "the generation of a custom resource: new, after a new label, after a new spec, after a new status",
			try: func(p *probe) string {
				o := p.preview("p")
				p.must(p.Create(p.Context(), o))
				all := []int64{o.Generation}
				o.Labels = map[string]string{"a": "b"}
				p.must(p.Update(p.Context(), o))
				all = append(all, o.Generation)
				o.Spec.Image = "web:2"
				p.must(p.Update(p.Context(), o))
				all = append(all, o.Generation)
				o.Status.Replicas = 1
				p.must(p.Status().Update(p.Context(), o))
				return fmt.Sprint(append(all, o.Generation))
			},
			api: "[1 1 2 2]", fake: "[0 0 0 0]",
		},
		{
			tried: "the same of a Deployment",
			try: func(p *probe) string {
				d := p.deployment("d")
				p.must(p.Create(p.Context(), d))
				first := d.Generation
				d.Spec.Replicas = new(int32(2))
				p.must(p.Update(p.Context(), d))
				return fmt.Sprint([]int64{first, d.Generation})
			},
			api: "[1 2]", fake: "[0 0]",
		},
		{
			tried: "create a custom resource with a status",
			try: func(p *probe) string {
				o := p.preview("p")
				o.Status.Replicas = 3
				p.must(p.Create(p.Context(), o))
				return fmt.Sprintf("replicas in the status: %d", again(p, o).Status.Replicas)
			},
			api: "replicas in the status: 0", fake: "replicas in the status: 3",
		},
		{
			tried: "create a Deployment with a status",
			try: func(p *probe) string {
				d := p.deployment("d")
				d.Status.Replicas = 3
				p.must(p.Create(p.Context(), d))
				return fmt.Sprintf("replicas in the status: %d", again(p, d).Status.Replicas)
			},
			api: "replicas in the status: 0", fake: "replicas in the status: 3",
		},
		{
			tried: "update the status of a kind that has none as a subresource",
			try: func(p *probe) string {
				m := p.configMap("m")
				p.must(p.Create(p.Context(), m))
				return p.said(p.Status().Update(p.Context(), m))
			},
			api: "NotFound: the server could not find the requested resource", fake: `NotFound: configmaps "m" not found`,
		},
	}
}

func checks() []behaviour {
	create := func(change func(m *corev1.ConfigMap)) func(p *probe) string {
		return func(p *probe) string {
			m := p.configMap("m")
			change(m)
			said := p.said(p.Create(p.Context(), m))
			head, _, _ := strings.Cut(said, ": a ")
			if _, last, ok := strings.Cut(head, "}]: "); ok {
				return last
			}
			return head
		}
	}
	return []behaviour{
		{
			tried: "a name that is none", api: `Invalid: ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name"`, fake: "done",
			try: create(func(m *corev1.ConfigMap) { m.Name = "Not_A_Name" }),
		},
		{
			tried: "a label with a value that is none", api: `Invalid: ConfigMap "m" is invalid: metadata.labels: Invalid value: "not ok"`, fake: "done",
			try: create(func(m *corev1.ConfigMap) { m.Labels = map[string]string{"a": "not ok"} }),
		},
		{
			tried: "an owner without a uid", api: `Invalid: ConfigMap "m" is invalid: metadata.ownerReferences[0].uid: Required value: must not be empty`, fake: "done",
			try: create(func(m *corev1.ConfigMap) {
				m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "o"}}
			}),
		},
		{
			tried: "change a ConfigMap that says `immutable: true`",
			try: func(p *probe) string {
				m := p.configMap("m", "k", "v")
				m.Immutable = new(true)
				p.must(p.Create(p.Context(), m))
				m.Data["k"] = "w"
				return p.said(p.Update(p.Context(), m))
			},
			api: "Invalid: ConfigMap \"m\" is invalid: data: Forbidden: field is immutable when `immutable` is set", fake: "done",
		},
		{
			tried: "change the type of a Secret",
			try: func(p *probe) string {
				s := &corev1.Secret{ObjectMeta: p.meta("s"), Type: "example.com/a"}
				p.must(p.Create(p.Context(), s))
				s.Type = "example.com/b"
				return p.said(p.Update(p.Context(), s))
			},
			api: `Invalid: Secret "s" is invalid: type: Invalid value: "example.com/b": field is immutable`, fake: "done",
		},
		{
			tried: "two controllers among the owners",
			try: create(func(m *corev1.ConfigMap) {
				for _, name := range []string{"a", "b"} {
					m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: types.UID(name), Controller: new(true)})
				}
			}),
			api: `Only one reference can have Controller set to true. Found "true" in references for ConfigMap/a and ConfigMap/b`, fake: "done",
		},
		{
			tried: "a field that the kind has not, with strict validation",
			try: func(p *probe) string {
				w := p.widget("w", map[string]any{"size": int64(1), "colour": "red"})
				return p.said(p.Create(p.Context(), w, client.FieldValidation(metav1.FieldValidationStrict)))
			},
			api: `BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.colour"`, fake: "done",
		},
	}
}
