package object_test

import (
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func ExampleObject() {
	o, err := object.Decode([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"k":"v"}}`))
	if err != nil {
		panic(err)
	}
	o.SetLabels(map[string]string{"app": "web"})
	value, _ := o.Field("data", "k")
	fmt.Println(o, o.Labels(), value)
	// Output: ConfigMap default/a map[app:web] v
}

func ExampleParseLabelSelector() {
	s, err := object.ParseLabelSelector("tier in (web, db), !legacy")
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	fmt.Println(s.Matches(map[string]string{"tier": "web"}))
	_, err = object.ParseLabelSelector("tier is web")
	fmt.Println(err)
	// Output:
	// !legacy,tier in (db,web)
	// true
	// unable to parse requirement: found 'is', expected: in, notin, =, ==, !=, gt, lt
}

func ExampleParseFieldSelector() {
	s, err := object.ParseFieldSelector("metadata.name=a,status.phase!=Running")
	if err != nil {
		panic(err)
	}
	name, ok := s.Exact("metadata.name")
	fmt.Println(name, ok)
	// Output: a true
}

func ExampleStatusError() {
	err := fmt.Errorf("scaling: %w", object.NotFound(object.GroupResource{Group: "apps", Resource: "deployments"}, "web"))
	fmt.Println(err)
	fmt.Println(errors.Is(err, object.ErrNotFound), object.IsNotFound(err))
	var status *object.StatusError
	if errors.As(err, &status) {
		fmt.Println(status.Status.Code, status.Status.Details.Kind)
	}
	// Output:
	// scaling: deployments.apps "web" not found
	// true true
	// 404 deployments
}

func ExampleAs() {
	type Widget struct {
		object.TypeMeta   `json:",inline"`
		object.ObjectMeta `json:"metadata"`
		Spec              struct {
			Size int64 `json:"size"`
		} `json:"spec"`
	}
	o := object.Object{"kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"size": int64(3)}}
	w, err := object.As[Widget](o)
	if err != nil {
		panic(err)
	}
	w.Spec.Size++
	o, err = object.From(w)
	fmt.Println(w.Name, o["spec"], err)
	// Output: w map[size:4] <nil>
}
