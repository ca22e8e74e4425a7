package storage_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

type Widget struct {
	object.TypeMeta
	object.ObjectMeta `json:"metadata"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status"`
}

type WidgetSpec struct {
	Size int `json:"size"`
}

type WidgetStatus struct {
	Ready bool `json:"ready"`
}

var widgetKind = storage.Kind{
	GroupVersionKind: object.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
	Plural:           "widgets",
	Namespaced:       true,
	Fields: map[string]func(object.Object) string{
		"spec.size": func(o object.Object) string { size, _ := o.Field("spec", "size"); return fmt.Sprint(size) },
	},
}

func widget(name string, size int) *Widget {
	return &Widget{ObjectMeta: object.ObjectMeta{Namespace: "d", Name: name}, Spec: WidgetSpec{Size: size}}
}

func TestTypedObjectsAreGivenWhatTheStoreOwns(t *testing.T) {
	widgets := storage.For[Widget](newStore(t, nil), widgetKind)
	ctx := t.Context()
	w := widget("a", 1)
	w.ResourceVersion, w.UID = "77", "mine"
	created, err := widgets.Create(ctx, w)
	require.NoError(t, err)
	require.Equal(t, "mine", w.UID, "the argument stays as it is")
	require.Equal(t, object.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"}, created.TypeMeta)
	require.Regexp(t, regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`), created.UID)
	require.WithinDuration(t, time.Now(), created.CreationTimestamp.Time, 2*time.Second)
	require.Zero(t, created.CreationTimestamp.Nanosecond())
	require.EqualValues(t, 1, created.Generation)
	require.Equal(t, "2", created.ResourceVersion)

	_, err = widgets.Create(ctx, w)
	require.EqualError(t, err, `widgets.example.com "a" already exists`)
	_, err = widgets.Create(ctx, widget("A_", 1))
	require.True(t, object.IsInvalid(err))

	created.Status.Ready = true
	created.CreationTimestamp = object.Time{}
	ready, err := widgets.Update(ctx, created)
	require.NoError(t, err)
	require.EqualValues(t, 1, ready.Generation)
	require.False(t, ready.CreationTimestamp.IsZero())
	_, err = widgets.Update(ctx, created)
	require.True(t, object.IsConflict(err))
	same, err := widgets.Update(ctx, ready)
	require.NoError(t, err)
	require.Equal(t, ready, same, "an update without a change writes nothing")

	ready.Spec.Size = 2
	larger, err := widgets.Update(ctx, ready)
	require.NoError(t, err)
	require.EqualValues(t, 2, larger.Generation)
	larger.ResourceVersion = ""
	_, err = widgets.Update(ctx, larger)
	require.True(t, object.IsInvalid(err))

	_, err = widgets.Delete(ctx, "d", "a", storage.Preconditions{UID: "other"})
	require.EqualError(t, err, `Operation cannot be fulfilled on widgets.example.com "a": Precondition failed: UID in precondition: other, UID in object meta: `+created.UID)
	gone, err := widgets.Delete(ctx, "d", "a", storage.Preconditions{UID: created.UID})
	require.NoError(t, err)
	require.Equal(t, "5", gone.ResourceVersion)
	_, err = widgets.Get(ctx, "d", "a")
	require.True(t, object.IsNotFound(err))
}

func TestGeneratedNames(t *testing.T) {
	name := storage.GenerateName("web-")
	require.Regexp(t, `^web-[bcdfghjklmnpqrstvwxz2456789]{5}$`, name)
	require.Len(t, storage.GenerateName(string(make([]byte, 100))), 63)

	widgets := storage.For[Widget](newStore(t, nil), widgetKind)
	w := widget("", 1)
	w.GenerateName = "w-"
	seen := map[string]bool{}
	for range 100 {
		created, err := widgets.Create(t.Context(), w)
		require.NoError(t, err)
		require.False(t, seen[created.Name])
		seen[created.Name] = true
	}
}

func TestModifyTriesAgain(t *testing.T) {
	widgets := storage.For[Widget](newStore(t, nil), widgetKind)
	ctx := t.Context()
	_, err := widgets.Create(ctx, widget("a", 0))
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				_, err := widgets.Modify(ctx, "d", "a", func(w *Widget) error { w.Spec.Size++; return nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	w, err := widgets.Get(ctx, "d", "a")
	require.NoError(t, err)
	require.Equal(t, 80, w.Spec.Size)
	require.EqualValues(t, 81, w.Generation)

	refused := errors.New("refused")
	_, err = widgets.Modify(ctx, "d", "a", func(*Widget) error { return refused })
	require.ErrorIs(t, err, refused)
}

func TestModifyGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		widgets := storage.For[Widget](newStore(t, nil), widgetKind)
		_, err := widgets.Create(t.Context(), widget("a", 0))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		attempts := 0
		_, err = widgets.Modify(ctx, "d", "a", func(w *Widget) error {
			if attempts++; attempts == 3 {
				cancel()
			}
			w.Spec.Size--
			_, err := widgets.Modify(t.Context(), "d", "a", func(w *Widget) error { w.Spec.Size++; return nil })
			return err
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 3, attempts)
	})
}

func TestTypedListSelects(t *testing.T) {
	widgets := storage.For[Widget](newStore(t, nil), widgetKind)
	for i := range 600 {
		_, err := widgets.Create(t.Context(), widget(fmt.Sprintf("w%03d", i), i%3))
		require.NoError(t, err)
	}
	fields, err := object.ParseFieldSelector("spec.size=1")
	require.NoError(t, err)
	count := func(opts storage.ListOptions) (n int) {
		for w, err := range widgets.List(t.Context(), "d", opts) {
			require.NoError(t, err)
			require.Equal(t, "Widget", w.Kind)
			n++
		}
		return n
	}
	require.Equal(t, 600, count(storage.ListOptions{}))
	require.Equal(t, 300, count(storage.ListOptions{Limit: 300}))
	require.Equal(t, 200, count(storage.ListOptions{Selector: object.Selector{Fields: fields}}))
	for _, err := range widgets.List(t.Context(), "d", storage.ListOptions{ResourceVersion: "x"}) {
		require.Equal(t, 400, object.AsStatus(err).Code)
	}
}

func ExampleFor() {
	store, err := storage.New(memory.New(), nil)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	widgets := storage.For[Widget](store, widgetKind)
	widgets.Create(ctx, &Widget{ObjectMeta: object.ObjectMeta{Namespace: "default", Name: "first"}})
	widgets.Modify(ctx, "default", "first", func(w *Widget) error { w.Spec.Size = 7; return nil })
	for event, err := range widgets.Watch(ctx, "default", "2") {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.Type, event.Object.Name, event.Object.Spec.Size, event.Object.Generation)
		break
	}
	// Output: MODIFIED first 7 2
}

func TestWatchBeginsWithWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		widgets := storage.For[Widget](newStore(t, nil), widgetKind)
		_, err := widgets.Create(t.Context(), widget("a", 1))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var got []string
		for e, err := range widgets.Watch(ctx, "", "") {
			if err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				break
			}
			got = append(got, fmt.Sprint(e.Type, e.Object.Name, e.Object.ResourceVersion))
			if len(got) == 1 {
				_, err := widgets.Delete(ctx, "d", "a", storage.Preconditions{})
				require.NoError(t, err)
			}
		}
		require.Equal(t, []string{"ADDEDa2", "DELETEDa3"}, got)
	})
}
