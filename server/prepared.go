package server

import (
	"bytes"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// Prepared keeps what servers have made of definitions that are established, for others that begin
// with a copy of the same store: these serve what is defined without reading it again. It
// keeps the newest state of each definition alive. The zero value is ready for use, by any
// number of servers at once.
type Prepared struct {
	shared definition.Shared

	mu     sync.Mutex
	byName map[string]*preparedDefinition
}

// preparedDefinition is a definition with nothing left to do, and all that is made of it.
type preparedDefinition struct {
	body       []byte // as it is stored
	group      string
	generation int64
	accepted   definition.Names
	parsed     *parsedDefinition
}

// parsedDefinition is a definition that was read, with what follows from its versions: their
// shapes, and how their documents merge, which is made at first use.
type parsedDefinition struct {
	*definition.Definition
	shapes     map[string]string
	mergeTypes map[string]func() *apply.Type
}

func newParsedDefinition(d *definition.Definition) *parsedDefinition {
	p := &parsedDefinition{d, map[string]string{}, map[string]func() *apply.Type{}}
	for _, v := range d.Versions {
		p.shapes[v.Name] = shapeOf(v.Schema, d.PreserveUnknownFields)
		p.mergeTypes[v.Name] = sync.OnceValue(func() *apply.Type { return apply.NewType(v.Schema) })
	}
	return p
}

// find gives what was made of a definition as it is stored; nil if nothing was, or none is kept.
func (p *Prepared) find(name string, e *object.Encoded) *preparedDefinition {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	known := p.byName[name]
	p.mu.Unlock()
	if known == nil || !bytes.Equal(known.body, e.Body) { // which is quick for bytes that are shared
		return nil
	}
	return known
}

func (p *Prepared) keep(name string, d *preparedDefinition) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byName == nil {
		p.byName = map[string]*preparedDefinition{}
	}
	p.byName[name] = d
}

// recall serves a stored definition of which another server has made what there is to make. It
// says whether that was so.
func (d *definitions) recall(name string, e *object.Encoded) bool {
	p := d.prepared.find(name, e)
	if p == nil {
		return false
	}
	c, err := newCustomResource(d.stopping, p.parsed, d.config.Service)
	if err != nil {
		return false // and is told when it is read
	}
	known := &installed{group: p.group, generation: p.generation, accepted: p.accepted}
	if err := d.swap(known, c, false); err != nil {
		c.close()
		return false
	}
	known.settled = e.Version
	d.known[name] = known
	return true
}

// remember keeps what was made of a definition that is settled as it is stored.
func (d *definitions) remember(name string, e *object.Encoded) {
	if known := d.known[name]; known.resource != nil && !known.closed {
		d.prepared.keep(name, &preparedDefinition{e.Body, known.group, known.generation, known.accepted, known.resource.parsedDefinition})
	}
}
