package gc

import (
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// pods go before everything else in a namespace: they use the rest of it.
var pods = object.GroupVersionResource{Version: "v1", Resource: "pods"}

// findings are what one pass over the contents of a namespace found.
type findings struct {
	discovery error   // resources could not be found out
	parsing   error   // names of versions could not be read
	failures  []error // of single resources

	remaining  map[object.GroupVersionResource]int // objects
	finalizers map[string]int                      // objects that each holds
}

// discover takes note of how finding out the resources went.
func (f *findings) discover(err error) {
	if errors.Is(err, ErrGroupVersions) {
		f.parsing = err
	} else {
		f.discovery = err
	}
}

// add takes note of how emptying a resource went. Objects that nothing is known to
// hold should not be there any more.
func (f *findings) add(r object.GroupVersionResource, namespace string, left Remaining, err error) {
	if err == nil && left.Objects > 0 && left.Graceful == 0 && len(left.Finalizers) == 0 {
		err = fmt.Errorf("unexpected items still remain in namespace: %s for gvr: %s/%s, Resource=%s", namespace, r.Group, r.Version, r.Resource)
	}
	if err != nil {
		f.failures = append(f.failures, err)
	}
	if left.Objects == 0 {
		return
	}
	if f.remaining == nil {
		f.remaining, f.finalizers = map[object.GroupVersionResource]int{}, map[string]int{}
	}
	f.remaining[r] += left.Objects
	for name, n := range left.Finalizers {
		f.finalizers[name] += n
	}
}

// failed says whether something may be left that was not counted.
func (f *findings) failed() error {
	return errors.Join(f.discovery, f.parsing, errors.Join(f.failures...))
}

// objects is how many are left.
func (f *findings) objects() (n int) {
	for _, left := range f.remaining {
		n += left
	}
	return n
}
