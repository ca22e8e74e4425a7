package storage

import (
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// MatchRule says how a list takes the resource version it is given.
type MatchRule string

// The rules of the API. The empty one depends on the rest of the options: exact if
// there are a limit and a version other than 0, and else not older than the version.
const (
	Exact        MatchRule = "Exact"
	NotOlderThan MatchRule = "NotOlderThan"
)

// ListOptions say what a list shows. The zero value shows all of the newest state.
type ListOptions struct {
	Selector        object.Selector
	Limit           int64  // objects at most, those selected; without limit if not positive
	Continue        string // token of the page before
	ResourceVersion string // as the client sent it
	Match           MatchRule
}

// validate tells which options do not go together (422), as the API words it.
func (o *ListOptions) validate() error {
	if o.Match == "" {
		return nil
	}
	const field = "resourceVersionMatch"
	var errs object.FieldErrors
	if o.ResourceVersion == "" {
		errs = append(errs, object.ForbiddenField(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
	}
	if o.Continue != "" {
		errs = append(errs, object.ForbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"))
	}
	if o.Match != Exact && o.Match != NotOlderThan {
		errs = append(errs, object.UnsupportedField(field, o.Match, string(Exact), string(NotOlderThan), ""))
	}
	if o.Match == Exact && o.ResourceVersion == "0" {
		errs = append(errs, object.ForbiddenField(field, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
	}
	if len(errs) > 0 {
		return object.Invalid(object.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", errs)
	}
	return nil
}

// place is where a list starts: in which state of the store, and behind the prefix of the
// collection at which key.
type place struct {
	version object.ResourceVersion
	start   string
}

// resolve finds the place from which the options ask to read.
func (o *ListOptions) resolve(current object.ResourceVersion) (place, error) {
	if err := o.validate(); err != nil {
		return place{}, err
	}
	if o.Continue != "" {
		return o.resume(current)
	}
	asked, err := object.ParseResourceVersion(o.ResourceVersion)
	if err != nil {
		return place{}, object.BadRequest("invalid resource version: %v", err)
	}
	if asked > current {
		return place{}, object.TooLargeResourceVersion(asked, current)
	}
	exact := o.Match == Exact || o.Match == "" && o.Limit > 0
	if exact && asked > 0 {
		return place{version: asked}, nil
	}
	return place{version: current}, nil
}

// resume finds the place at which a continue token says to go on.
func (o *ListOptions) resume(current object.ResourceVersion) (place, error) {
	t, err := parseToken(o.Continue)
	if err != nil {
		return place{}, err
	}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		return place{}, object.BadRequest("specifying resource version is not allowed when using continue")
	}
	p := place{version: current, start: t.Start}
	if t.Version > 0 {
		p.version = object.ResourceVersion(t.Version)
	}
	if p.version > current {
		return place{}, object.TooLargeResourceVersion(p.version, current)
	}
	return p, nil
}

// limit is how many objects a page has at most; 0 if there is no limit. One that asks for version 0
// takes what is at hand, and all of it.
func (o *ListOptions) limit() int64 {
	if o.ResourceVersion == "0" {
		return 0
	}
	return max(o.Limit, 0)
}

const inconsistentContinue = "The provided continue parameter is too old to display a consistent list result. " +
	"You can start a new list without the continue parameter, or use the continue token in this response " +
	"to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent " +
	"list - objects that were created, modified, or deleted between the time the first chunk was returned " +
	"and now may show up in the list."

// listError gives an error of the backend its meaning for a list that stands at start.
func (o *ListOptions) listError(err error, start string) error {
	if !errors.Is(err, ErrCompacted) {
		return err
	}
	if o.Continue == "" {
		return object.Expired(listExpired)
	}
	expired := object.Expired(inconsistentContinue)
	expired.Status.Metadata.Continue = token{Version: -1, Start: start}.String()
	return expired
}
