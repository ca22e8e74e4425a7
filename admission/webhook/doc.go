// Package webhook is admission by others: webhooks as ValidatingWebhookConfiguration and
// MutatingWebhookConfiguration of admissionregistration.k8s.io/v1 describe them, which are asked over
// HTTPS with an AdmissionReview, and Go functions that stand in for them.
//
// A [Configuration] is a list of webhooks, compiled once, from a document or from Go values, by a
// [Compiler]. [Mutating] and [Validating] are the stages of admission that ask the webhooks
// of several configurations. All three are immutable: a cluster that changes makes new stages of the old
// configurations and the new one. [callout.Clients] keeps the connections across that.
//
//	clients := &callout.Clients{Service: addressOf}
//	defer clients.Close()
//	c, errs := compiler.CompileMutating(document)
//	mutating := webhook.NewMutating(webhook.Config{Clients: clients, Patcher: patcher}, c)
//
// A [Func] in a [Hook] takes the place of an address. It has its place in the order of webhooks, and
// all that a webhook has: rules, selectors, conditions, a timeout, a failure policy.
//
// A webhook has three ways out: it allows, it denies, or it fails, which its failure policy may
// ignore. What it says of itself goes to the trace of the request.
package webhook
