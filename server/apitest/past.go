package apitest

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Version is that of the newest write.
func (s *Server) Version() object.ResourceVersion { return s.store.Version() }

// Past is the state of a [Server] right after one of its writes. Nothing is forgotten as long as
// the test lasts, and a fork remembers what was before it.
type Past struct {
	server  *Server
	version object.ResourceVersion
}

// At gives the state at a version.
func (s *Server) At(version object.ResourceVersion) Past { return Past{s, version} }

// Get reads an object as it was. It fails with NotFound if it was not there.
func (p Past) Get(ctx context.Context, t server.Target) (object.Object, error) {
	if t.Name == "" {
		return nil, fmt.Errorf("reading one of %s at version %d: the target has no name", t.Resource.GroupResource(), p.version)
	}
	name, collection := t.Name, t
	collection.Name = ""
	items, err := p.list(ctx, collection, server.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return nil, err
	}
	for _, o := range items {
		if o.Namespace() == t.Namespace {
			return o, nil
		}
	}
	return nil, object.NotFound(t.Resource.GroupResource(), name)
}

// List reads a collection as it was.
func (p Past) List(ctx context.Context, t server.Target) ([]object.Object, error) {
	return p.list(ctx, t, server.ListOptions{})
}

func (p Past) list(ctx context.Context, t server.Target, opts server.ListOptions) ([]object.Object, error) {
	if p.version == 0 {
		return nil, fmt.Errorf("reading %s: there is no version 0", t.Resource.GroupResource())
	}
	opts.ResourceVersion, opts.ResourceVersionMatch = p.version.String(), string(storage.Exact)
	items, _, err := p.server.List(ctx, t, opts)
	return items, err
}
