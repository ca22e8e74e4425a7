package rules

import (
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Rules are those of a schema, at its root and anywhere below. Any number of
// goroutines may use them. Nil are no rules.
type Rules struct {
	root *node
}

// For gives the rules of the schema of a resource, or nil if it has none. They have
// passed [Check]; what doesn't compile nevertheless is an error of every object.
func For(language *expr.Language, s *schema.Schema) *Rules { return newRules(language, s, true) }

func newRules(language *expr.Language, s *schema.Schema, resource bool) *Rules {
	b := builder{language: language, nodes: map[spot]*node{}}
	root := b.node(s, resource)
	if root == nil {
		return nil
	}
	return &Rules{root}
}

// node is a node of a schema that has rules, or has some below. It stands for all
// equal places in the schema.
type node struct {
	language   *expr.Language
	schema     *schema.Schema
	resource   bool // whether values are whole resources
	properties []child
	additional *node
	items      *node

	once     sync.Once
	compiled []rule
}

// child is a property with rules.
type child struct {
	name string
	node *node
}

// spot tells nodes apart.
type spot struct {
	schema   *schema.Schema
	resource bool
}

type builder struct {
	language *expr.Language
	nodes    map[spot]*node
}

// node builds what stands for a schema, or nil if there are no rules that could see anything.
func (b *builder) node(s *schema.Schema, resource bool) *node {
	if !s.HasRules() || !isSeen(s) {
		return nil
	}
	if n, ok := b.nodes[spot{s, resource}]; ok {
		return n
	}
	n := &node{language: b.language, schema: s, resource: resource}
	for _, p := range s.Properties {
		if below := b.node(p.Schema, p.Schema.EmbeddedResource); below != nil {
			n.properties = append(n.properties, child{p.Name, below})
		}
	}
	if a := s.Additional(); a != nil {
		n.additional = b.node(a, a.EmbeddedResource)
	}
	if s.Items != nil {
		n.items = b.node(s.Items, s.Items.EmbeddedResource)
	}
	b.nodes[spot{s, resource}] = n
	return n
}

// rules compiles those of the node, the first time.
func (n *node) rules() []rule {
	n.once.Do(func() {
		if len(n.schema.Rules) > 0 {
			n.compiled = compileAll(n.language, n.schema, n.resource)
		}
	})
	return n.compiled
}
