package webhook

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// Compiler compiles configurations. The zero value is ready for use, by any number of goroutines.
type Compiler struct {
	// Policies, if set, compiles match conditions, and shares its language with what else
	// it compiles.
	Policies *policy.Compiler

	own policy.Compiler
}

func (c *Compiler) policies() *policy.Compiler {
	if c.Policies != nil {
		return c.Policies
	}
	return &c.own
}

// Configuration is some webhooks that are ready to be asked, by any number of goroutines.
type Configuration struct {
	name  string
	hooks []*hook
}

// Name is that of the configuration's document.
func (c *Configuration) Name() string { return c.name }

// hook is a [Hook] that is ready to be asked.
type hook struct {
	name, configuration string
	matches             bool // whether there are rules; without them it is about nothing
	matcher             match.Matcher
	conditions          *policy.Conditions // nil if there are none
	ignores             bool               // whether a failure lets the request pass
	reinvocable         bool
	timeout             time.Duration

	function Func // in place of what follows
	version  string
	target   callout.Target
}

// CompileMutating compiles a MutatingWebhookConfiguration. The errors are what the API says about
// a document that it doesn't accept; there is no configuration then. What is wrong with its
// metadata, it leaves to others.
func (c *Compiler) CompileMutating(document object.Object) (*Configuration, object.FieldErrors) {
	return c.compileDocument(document, true)
}

// CompileValidating compiles a ValidatingWebhookConfiguration; see CompileMutating.
func (c *Compiler) CompileValidating(document object.Object) (*Configuration, object.FieldErrors) {
	return c.compileDocument(document, false)
}

func (c *Compiler) compileDocument(document object.Object, mutates bool) (*Configuration, object.FieldErrors) {
	name, hooks, err := read(document)
	if err != nil {
		return nil, object.FieldErrors{object.InvalidField("webhooks", object.OmittedValue{}, err.Error())}
	}
	return c.compile(name, hooks, mutates)
}

// read gives the name and the webhooks of a document.
func read(document object.Object) (name string, hooks []Hook, err error) {
	d, err := object.As[struct {
		object.TypeMeta `json:",inline"`
		Metadata        object.ObjectMeta `json:"metadata"`
		Webhooks        []Hook            `json:"webhooks"`
	}](document)
	if err != nil {
		return "", nil, err
	}
	for i := range d.Webhooks {
		for j := range d.Webhooks[i].Rules {
			d.Webhooks[i].Rules[j].ResourceNames = nil // which rules of policies have
		}
	}
	return d.Metadata.Name, d.Webhooks, nil
}

// CompileHooks compiles the webhooks of a program. It keeps parts of them, which must not
// change any more.
func (c *Compiler) CompileHooks(name string, hooks []Hook) (*Configuration, object.FieldErrors) {
	return c.compile(name, hooks, true)
}

// New makes a configuration of the webhooks of a program.
func New(name string, hooks ...Hook) (*Configuration, error) {
	var c Compiler
	configuration, errs := c.CompileHooks(name, hooks)
	if len(errs) > 0 {
		return nil, fmt.Errorf("webhooks %s: %w", name, errs)
	}
	return configuration, nil
}

func (c *Compiler) compile(name string, hooks []Hook, mutates bool) (*Configuration, object.FieldErrors) {
	configuration := &Configuration{name: name}
	var errs object.FieldErrors
	seen := map[string]bool{}
	for i := range hooks {
		field := fmt.Sprintf("webhooks[%d]", i)
		compiled, problems := c.compileHook(field, &hooks[i], mutates)
		errs = append(errs, problems...)
		if n := hooks[i].Name; n != "" && seen[n] {
			errs = append(errs, object.DuplicateField(field+".name", n))
		}
		seen[hooks[i].Name] = true
		compiled.configuration = name
		configuration.hooks = append(configuration.hooks, compiled)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return configuration, nil
}

// compileHook gives what it can if there are errors.
func (c *Compiler) compileHook(field string, h *Hook, mutates bool) (*hook, object.FieldErrors) {
	compiled := &hook{
		name:        h.Name,
		matches:     len(h.Rules) > 0,
		ignores:     h.FailurePolicy == ignore,
		reinvocable: h.ReinvocationPolicy == ifNeeded,
		timeout:     time.Duration(defaultTimeout) * time.Second,
		function:    h.Call,
		version:     h.reviewVersion(),
	}
	if h.TimeoutSeconds != nil {
		compiled.timeout = time.Duration(*h.TimeoutSeconds) * time.Second
	}
	errs := h.check(field, mutates)
	if len(h.MatchConditions) > 0 {
		conditions, problems := c.policies().CompileConditions(field+".matchConditions", h.MatchConditions)
		errs = append(errs, problems...)
		compiled.conditions = conditions
	}
	errs = append(errs, h.checkVersions(field+".admissionReviewVersions")...)
	if len(errs) > 0 {
		return compiled, errs
	}
	resources := match.Resources{
		NamespaceSelector: h.NamespaceSelector, ObjectSelector: h.ObjectSelector,
		ResourceRules: h.Rules, MatchPolicy: h.MatchPolicy,
	}
	var err error
	if compiled.matcher, err = resources.Compile(); err != nil {
		errs = append(errs, object.InvalidField(field, object.OmittedValue{}, err.Error()))
	}
	if h.Call == nil {
		if compiled.target, err = targetOf(&h.ClientConfig); err != nil {
			errs = append(errs, object.InvalidField(field+".clientConfig", object.OmittedValue{}, err.Error()))
		}
	}
	return compiled, errs
}

// inOrder gives the hooks in the order in which they are asked: that of the names of their
// configurations, and then that in them. Those that are about nothing are left out.
func inOrder(configurations []*Configuration) (hooks []*hook, index *match.Index) {
	sorted := slices.SortedStableFunc(slices.Values(configurations), func(a, b *Configuration) int { return cmp.Compare(a.name, b.name) })
	var matchers []*match.Matcher
	for _, c := range sorted {
		for _, h := range c.hooks {
			if h.matches {
				hooks = append(hooks, h)
				matchers = append(matchers, &h.matcher)
			}
		}
	}
	return hooks, match.NewIndex(matchers)
}
