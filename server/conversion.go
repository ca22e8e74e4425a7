package server

import (
	"context"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// conversionTimeout is how long a webhook may take to convert, and maxConversion how
// many bytes it may answer with.
const (
	conversionTimeout = 30 * time.Second
	maxConversion     = 8 << 20
)

// conversionWebhook converts the objects of a definition by asking elsewhere.
type conversionWebhook struct {
	target  callout.Target
	clients callout.Clients
}

// newConversionWebhook makes the client of a webhook. It keeps connections, which
// close closes.
func newConversionWebhook(w *definition.Webhook, service callout.Resolver) (*conversionWebhook, error) {
	webhook := &conversionWebhook{clients: callout.Clients{Service: service}}
	if s := w.Service; s != nil {
		webhook.target = callout.AtService(s.Namespace, s.Name, s.Port, s.Path, w.CABundle)
		return webhook, nil
	}
	var err error
	webhook.target, err = callout.AtURL(w.URL, w.CABundle)
	return webhook, err
}

// close closes the connections that are not in use.
func (w *conversionWebhook) close() { w.clients.Close() }

// convert has objects, all of one version, converted to another one.
func (w *conversionWebhook) convert(ctx context.Context, d *definition.Definition, version string, objects []object.Object) ([]object.Object, error) {
	uid := storage.NewUID()
	review, err := d.Review(uid, version, objects)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, conversionTimeout)
	defer cancel()
	answer, err := w.clients.Post(ctx, &w.target, object.AppendJSON(nil, review), maxConversion)
	if err != nil {
		return nil, definition.ConversionError(objects[0].GroupVersionKind(), err)
	}
	return d.Converted(answer, uid, version, objects)
}
