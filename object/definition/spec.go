package definition

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// document is a definition's document, read. Nothing in it is checked.
type document struct {
	o               object.Object
	group, scope    string
	names, accepted Names
	preserve        bool
	conversion      *conversion
	versions        []version // nil only if there is no list
	storedVersions  []string
}

// conversion is spec.conversion.
type conversion struct {
	strategy string
	client   *client
	reviews  []string
}

// client is spec.conversion.webhook.clientConfig.
type client struct {
	url      *string
	service  *service
	caBundle []byte
}

type service struct {
	namespace, name string
	path            *string
	port            *int64
}

// version is an entry of spec.versions.
type version struct {
	name            string
	served, storage bool
	deprecated      bool
	warning         *string
	hasSchema       bool           // whether there is the field schema
	schema          *schema.Schema // nil if none
	subresources    *subresources
	columns         []column
	selectable      []string
}

type subresources struct {
	status bool
	scale  *scale
}

type scale struct {
	spec, status string
	selector     *string
}

type column struct {
	name, kind, format, description, path string
	priority                              int64
}

// read reads a document that [Decode] has formed.
func read(o object.Object, pool *schema.Pool) (*document, error) {
	spec, status := node(o).node("spec"), node(o).node("status")
	d := &document{
		o:     o,
		group: spec.text("group"), scope: spec.text("scope"),
		names: readNames(spec.node("names")), accepted: readNames(status.node("acceptedNames")),
		preserve:       spec.flag("preserveUnknownFields"),
		storedVersions: status.texts("storedVersions"),
	}
	if c := spec.node("conversion"); c != nil {
		d.conversion = readConversion(c)
	}
	if list, ok := spec["versions"].([]any); ok {
		d.versions = make([]version, 0, len(list))
	}
	for i, v := range spec.nodes("versions") {
		read, err := readVersion(v, pool)
		if err != nil {
			return nil, fmt.Errorf("reading spec.versions[%d] of %s: %w", i, o, err)
		}
		d.versions = append(d.versions, read)
	}
	return d, nil
}

func readNames(n node) Names {
	return Names{
		Plural: n.text("plural"), Singular: n.text("singular"), Kind: n.text("kind"), ListKind: n.text("listKind"),
		ShortNames: n.texts("shortNames"), Categories: n.texts("categories"),
	}
}

func readConversion(n node) *conversion {
	c := &conversion{strategy: n.text("strategy")}
	webhook := n.node("webhook")
	if webhook == nil {
		return c
	}
	c.reviews = webhook.texts("conversionReviewVersions")
	if config := webhook.node("clientConfig"); config != nil {
		c.client = &client{url: config.pointer("url")}
		c.client.caBundle, _ = base64.StdEncoding.DecodeString(config.text("caBundle"))
		if s := config.node("service"); s != nil {
			c.client.service = &service{namespace: s.text("namespace"), name: s.text("name"), path: s.pointer("path")}
			if port, ok := s["port"].(int64); ok {
				c.client.service.port = &port
			}
		}
	}
	return c
}

func readVersion(n node, pool *schema.Pool) (version, error) {
	v := version{
		name: n.text("name"), served: n.flag("served"), storage: n.flag("storage"),
		deprecated: n.flag("deprecated"), warning: n.pointer("deprecationWarning"),
	}
	if holder := n.node("schema"); holder != nil {
		v.hasSchema = true
		if doc := holder.node("openAPIV3Schema"); doc != nil {
			s, _, err := pool.Parse(doc)
			if err != nil {
				var wrong *schema.TypeError
				if errors.As(err, &wrong) {
					err = errors.New(wrong.In("spec.versions.schema.openAPIV3Schema"))
				}
				return v, err
			}
			v.schema = s
		}
	}
	if sub := n.node("subresources"); sub != nil {
		v.subresources = &subresources{status: sub.node("status") != nil}
		if s := sub.node("scale"); s != nil {
			v.subresources.scale = &scale{s.text("specReplicasPath"), s.text("statusReplicasPath"), s.pointer("labelSelectorPath")}
		}
	}
	for _, c := range n.nodes("additionalPrinterColumns") {
		priority, _ := c["priority"].(int64)
		v.columns = append(v.columns, column{
			c.text("name"), c.text("type"), c.text("format"), c.text("description"), c.text("jsonPath"), priority,
		})
	}
	for _, f := range n.nodes("selectableFields") {
		v.selectable = append(v.selectable, f.text("jsonPath"))
	}
	return v, nil
}

// node is an object within a document. What is absent or of another type reads as
// the zero value.
type node map[string]any

func (n node) node(name string) node {
	m, _ := n[name].(map[string]any)
	return m
}

func (n node) nodes(name string) []node {
	list, _ := n[name].([]any)
	nodes := make([]node, len(list))
	for i, v := range list {
		nodes[i], _ = v.(map[string]any)
	}
	return nodes
}

func (n node) text(name string) string {
	s, _ := n[name].(string)
	return s
}

func (n node) pointer(name string) *string {
	if s, ok := n[name].(string); ok {
		return &s
	}
	return nil
}

func (n node) flag(name string) bool {
	b, _ := n[name].(bool)
	return b
}

// texts gives nil only if there is no list.
func (n node) texts(name string) []string {
	list, ok := n[name].([]any)
	if !ok {
		return nil
	}
	out := make([]string, len(list))
	for i, v := range list {
		out[i], _ = v.(string)
	}
	return out
}
