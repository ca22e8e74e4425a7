package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lease is what one of several processes holds at a time.
type lease struct {
	namespace, name string
	duration        time.Duration
}

// hold works whenever the lease is held, until ctx ends. The context of the work ends when the
// lease is lost, and it is waited for.
func (l lease) hold(ctx context.Context, client kubernetes.Interface, logger *slog.Logger, work func(context.Context)) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("naming this process: %w", err)
	}
	identity := host + "_" + rand.Text()
	for ctx.Err() == nil {
		if err := l.holdOnce(ctx, client, identity, func(ctx context.Context) {
			logger.InfoContext(ctx, "holding the lease", "identity", identity)
			work(ctx)
			logger.InfoContext(ctx, "the lease is over", "identity", identity)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (l lease) holdOnce(ctx context.Context, client kubernetes.Interface, identity string, work func(context.Context)) error {
	begun, ended := make(chan context.Context, 1), make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name: l.name,
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: l.namespace, Name: l.name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration: l.duration, RenewDeadline: l.duration * 2 / 3, RetryPeriod: l.duration / 6,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { begun <- ctx },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	var working sync.WaitGroup
	working.Go(func() {
		select {
		case ctx := <-begun:
			work(ctx)
		case <-ended:
		}
	})
	elector.Run(ctx)
	close(ended)
	working.Wait()
	return nil
}
