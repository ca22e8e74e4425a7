package fakeclient

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
)

func listing() []behaviour {
	return []behaviour{
		{
			tried: "select custom resources by a selectable field",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), p.preview("a")))
				p.must(p.Create(p.Context(), p.preview("b")))
				list := &previewv1.PreviewList{}
				err := p.List(p.Context(), list, client.InNamespace(p.ns), client.MatchingFields{"spec.host": "a.example.com"})
				return fmt.Sprintf("%s; %d of 2", p.said(err), len(list.Items))
			},
			api: "done; 1 of 2", fake: "List on GroupVersionKind preview.example.com/v1, Kind=Preview specifies selector on field spec.host, but no index with name spec.host has been registered for GroupVersionKind preview.example.com/v1, Kind=Preview; 0 of 2",
		},
		{
			tried: "select Secrets by their type",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), &corev1.Secret{ObjectMeta: p.meta("a"), Type: "example.com/a"}))
				p.must(p.Create(p.Context(), &corev1.Secret{ObjectMeta: p.meta("b"), Type: "example.com/b"}))
				list := &corev1.SecretList{}
				err := p.List(p.Context(), list, client.InNamespace(p.ns), client.MatchingFields{"type": "example.com/a"})
				return fmt.Sprintf("%s; %d of 2", p.said(err), len(list.Items))
			},
			api: "done; 1 of 2", fake: "List on GroupVersionKind /v1, Kind=Secret specifies selector on field type, but no index with name type has been registered for GroupVersionKind /v1, Kind=Secret; 0 of 2",
		},
		{
			tried: "select by a field that is not selectable",
			try: func(p *probe) string {
				list := &previewv1.PreviewList{}
				return p.said(p.List(p.Context(), list, client.InNamespace(p.ns), client.MatchingFields{"spec.image": "web:1"}))
			},
			api: "BadRequest: field label not supported: spec.image", fake: "List on GroupVersionKind preview.example.com/v1, Kind=Preview specifies selector on field spec.image, but no index with name spec.image has been registered for GroupVersionKind preview.example.com/v1, Kind=Preview",
		},
		{
			tried: "list three objects two at a time",
			try: func(p *probe) string {
				list := &corev1.SecretList{}
				for _, name := range []string{"a", "b", "c"} {
					p.must(p.Create(p.Context(), &corev1.Secret{ObjectMeta: p.meta(name)}))
				}
				p.must(p.List(p.Context(), list, client.InNamespace(p.ns), client.Limit(2)))
				remaining := "none"
				if list.RemainingItemCount != nil {
					remaining = fmt.Sprint(*list.RemainingItemCount)
				}
				return fmt.Sprintf("%d items, remaining %s, continue %t", len(list.Items), remaining, list.Continue != "")
			},
			api: "2 items, remaining 1, continue true", fake: "3 items, remaining none, continue false",
		},
		{
			tried: "go on with a list while others delete: what does the second page show?",
			try: func(p *probe) string {
				for _, name := range []string{"a", "b", "c"} {
					p.must(p.Create(p.Context(), &corev1.Secret{ObjectMeta: p.meta(name)}))
				}
				list := &corev1.SecretList{}
				p.must(p.List(p.Context(), list, client.InNamespace(p.ns), client.Limit(2)))
				p.must(p.Delete(p.Context(), &corev1.Secret{ObjectMeta: p.meta("c")}))
				p.must(p.List(p.Context(), list, client.InNamespace(p.ns), client.Limit(2), client.Continue(list.Continue)))
				var names []string
				for _, s := range list.Items {
					names = append(names, s.Name)
				}
				return strings.Join(names, ", ")
			},
			api: "c", fake: "a, b",
		},
	}
}

// watched opens a watch of ConfigMaps, has something done, and gives what came of it.
func (p *probe) watched(opts *client.ListOptions, do func(), events int) string {
	p.Helper()
	opts.Namespace = p.ns
	w, err := p.Watch(p.Context(), &corev1.SecretList{}, opts)
	if err != nil {
		return p.said(err)
	}
	defer w.Stop()
	do()
	var seen []string
	for range events {
		select {
		case e := <-w.ResultChan():
			seen = append(seen, p.event(e))
		case <-time.After(time.Second):
			seen = append(seen, "nothing")
		}
	}
	return strings.Join(seen, ", ")
}

func (p *probe) event(e watch.Event) string {
	switch o := e.Object.(type) {
	case *corev1.Secret:
		name := o.Name
		if e.Type == watch.Bookmark {
			name = fmt.Sprintf("(end of the initial events: %s)", o.Annotations[metav1.InitialEventsAnnotationKey])
		}
		return fmt.Sprintf("%s %s", e.Type, name)
	case *metav1.Status:
		return fmt.Sprintf("%s %s", e.Type, o.Reason)
	}
	return string(e.Type)
}

func watching() []behaviour {
	secret := func(p *probe, name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: p.meta(name), StringData: map[string]string{"k": "v"}}
	}
	labelled := func(p *probe, name string) *corev1.Secret {
		s := secret(p, name)
		s.Labels = map[string]string{"app": "web"}
		return s
	}
	return []behaviour{
		{
			tried: "watch without a version: what of the objects that are there?",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), secret(p, "a")))
				return p.watched(&client.ListOptions{}, func() {}, 1)
			},
			api: "ADDED a", fake: "nothing",
		},
		{
			tried: "watch from the version of a list, after which two objects were created",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), secret(p, "a")))
				list := &corev1.SecretList{}
				p.must(p.List(p.Context(), list, client.InNamespace(p.ns)))
				p.must(p.Create(p.Context(), secret(p, "b")))
				p.must(p.Create(p.Context(), secret(p, "c")))
				return p.watched(&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}}, func() {}, 2)
			},
			api: "ADDED b, ADDED c", fake: "nothing, nothing",
		},
		{
			tried: "watch with a label selector; an object with another label is created, then one that is selected",
			try: func(p *probe) string {
				s := client.MatchingLabels{"app": "web"}
				opts := &client.ListOptions{}
				s.ApplyToList(opts)
				return p.watched(opts, func() {
					p.must(p.Create(p.Context(), secret(p, "a")))
					p.must(p.Create(p.Context(), labelled(p, "b")))
				}, 1)
			},
			api: "ADDED b", fake: "ADDED a",
		},
		{
			tried: "an object that leaves the selection of a watch",
			try: func(p *probe) string {
				opts := &client.ListOptions{}
				client.MatchingLabels{"app": "web"}.ApplyToList(opts)
				return p.watched(opts, func() {
					s := labelled(p, "a")
					p.must(p.Create(p.Context(), s))
					s.Labels = nil
					p.must(p.Update(p.Context(), s))
				}, 2)
			},
			api: "ADDED a, DELETED a", fake: "ADDED a, MODIFIED a",
		},
		{
			tried: "a streaming list (`sendInitialEvents`)",
			try: func(p *probe) string {
				p.must(p.Create(p.Context(), secret(p, "a")))
				return p.watched(&client.ListOptions{Raw: &metav1.ListOptions{
					SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
				}}, func() {}, 2)
			},
			api: "ADDED a, BOOKMARK (end of the initial events: true)", fake: "nothing, nothing",
		},
		{
			tried: "an update that changes nothing",
			try: func(p *probe) string {
				s := secret(p, "a")
				p.must(p.Create(p.Context(), s))
				list := &corev1.SecretList{}
				p.must(p.List(p.Context(), list, client.InNamespace(p.ns)))
				return p.watched(&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}}, func() {
					p.must(p.Update(p.Context(), again(p, s)))
				}, 1)
			},
			api: "nothing", fake: "MODIFIED a",
		},
	}
}
