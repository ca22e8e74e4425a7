package apitest

import (
	"io/fs"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Option is a part of what a [Server] is made of.
type Option func(*setup)

// setup is what the options say.
type setup struct {
	config  server.Config     // what the server is configured with, but for its store
	given   []server.Resource // beside the server's own
	idle    bool              // without collector and emptier
	ignored []string          // functions of goroutines that may outlive the server
	load    []func(*manifest) error
}

// CRDs has the server take the definitions of custom resources in the files, or anywhere below the
// folders, that the paths name. Documents of other kinds there are passed over. New
// returns when all that they define is served.
func CRDs(paths ...string) Option {
	return func(s *setup) { s.read(definitionsOnly, osFiles{}, paths) }
}

// CRDsFS is [CRDs] for files of a file system, such as an embedded one.
func CRDsFS(fsys fs.FS, paths ...string) Option {
	return func(s *setup) { s.read(definitionsOnly, fsys, paths) }
}

// Manifests has the server create the objects in the files, or anywhere below the folders, that the
// paths name: definitions first, then namespaces, then the others in the order in which they
// stand. An object without a namespace goes to "default", and its status is kept.
func Manifests(paths ...string) Option {
	return func(s *setup) { s.read(everything, osFiles{}, paths) }
}

// ManifestsFS is [Manifests] for files of a file system, such as an embedded one.
func ManifestsFS(fsys fs.FS, paths ...string) Option {
	return func(s *setup) { s.read(everything, fsys, paths) }
}

// Objects has the server create objects, as [Manifests] does.
func Objects(objects ...object.Object) Option {
	return func(s *setup) {
		s.load = append(s.load, func(m *manifest) error {
			for _, o := range objects {
				m.add(o.DeepCopy())
			}
			return nil
		})
	}
}

// Resources has the server serve these beside its own, which are Namespaces and the kinds of
// admission. One of theirs takes the place of one of its own.
func Resources(resources ...server.Resource) Option {
	return func(s *setup) { s.given = append(s.given, resources...) }
}

// Config sets what else a server can be configured with: who may do what, for instance.
// The store is the server's own, whatever the configuration says.
func Config(config server.Config) Option {
	return func(s *setup) {
		s.given = append(s.given, config.Resources...)
		s.config = config
	}
}

// NoControllers leaves garbage where it is, and namespaces that are deleted as they are.
func NoControllers() Option { return func(s *setup) { s.idle = true } }

// IgnoreGoroutines lets goroutines outlive the server that have one of the functions on their
// stack: those that a library starts once, for as long as the process lives. A name is written
// as stacks have it, "k8s.io/klog/v2.(*flushDaemon).run".
func IgnoreGoroutines(functions ...string) Option {
	return func(s *setup) { s.ignored = append(s.ignored, functions...) }
}

func (s *setup) read(which kinds, fsys fs.FS, paths []string) {
	s.load = append(s.load, func(m *manifest) error { return m.read(which, fsys, paths) })
}

// newSetup takes the options together.
func newSetup(options []Option) *setup {
	s := &setup{}
	for _, option := range options {
		option(s)
	}
	s.config.Resources = s.resources()
	custom := server.CustomResources{}
	if given := s.config.CustomResources; given != nil {
		custom = *given
	}
	if custom.Prepared == nil {
		custom.Prepared = &server.Prepared{} // for forks
	}
	s.config.CustomResources = &custom
	return s
}

// resources are those given, and the server's own that they do not replace.
func (s *setup) resources() []server.Resource {
	given := map[object.GroupResource]bool{}
	for _, r := range s.given {
		given[object.GroupResource{Group: r.Group, Resource: r.Plural}] = true
	}
	all := s.given
	for _, r := range append(server.AdmissionKinds(), server.NamespaceKind()) {
		if !given[object.GroupResource{Group: r.Group, Resource: r.Plural}] {
			all = append(all, r)
		}
	}
	return all
}
