package apitest

import (
	"context"
	"log/slog"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// controllers are those that belong to every cluster.
type controllers struct {
	collector *gc.Collector
	emptier   *gc.Emptier
	cancel    context.CancelFunc
	running   sync.WaitGroup
}

func startControllers(s *server.Server, logger *slog.Logger) *controllers {
	c := &controllers{collector: gc.NewCollector(s.Cluster(), logger), emptier: gc.NewEmptier(s.Namespaces(), logger)}
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(context.Background())
	c.running.Go(func() { c.collector.Run(ctx) })
	c.running.Go(func() { c.emptier.Run(ctx) })
	return c
}

// stop ends them and waits for that. A nil value has nothing to end.
func (c *controllers) stop() {
	if c != nil {
		c.cancel()
		c.running.Wait()
	}
}

// settle waits until they have nothing to do.
func (c *controllers) settle(ctx context.Context) error {
	if c == nil {
		return nil
	}
	if err := c.emptier.Settle(ctx); err != nil {
		return err
	}
	return c.collector.Settle(ctx)
}
