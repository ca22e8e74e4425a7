package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/seed-6c0fa0ad/plinth/gc"
)

// options are the command line.
type options struct {
	kubeconfig string // "" for the account of the pod
	lease      lease
}

func parseOptions(args []string, messages io.Writer) (*options, error) {
	var o options
	f := flag.NewFlagSet("collector", flag.ContinueOnError)
	f.SetOutput(messages)
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`FILE` that says how to reach the server (default: as a pod of it)")
	f.StringVar(&o.lease.namespace, "lease-namespace", "kube-system", "`NAMESPACE` of the lease")
	f.StringVar(&o.lease.name, "lease-name", "plinth-collector", "`NAME` of the lease")
	f.DurationVar(&o.lease.duration, "lease-duration", 15*time.Second, "`TIME` after which another takes the lease of one that is silent")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unknown argument %q", f.Arg(0))
	}
	if o.lease.duration < time.Second {
		return nil, errors.New("--lease-duration is less than a second")
	}
	return &o, nil
}

// run collects, whenever it holds the lease, until ctx ends.
func run(ctx context.Context, args []string, messages io.Writer) error {
	o, err := parseOptions(args, messages)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return fmt.Errorf("reading how to reach the server: %w", err)
	}
	config.QPS = -1                           // the server knows best what is too much
	config.WarningHandler = rest.NoWarnings{} // about versions that are deprecated
	logger := slog.New(slog.NewTextHandler(messages, nil))
	work, client, err := connect(config, logger)
	if err != nil {
		return err
	}
	return o.lease.hold(ctx, client, logger, func(ctx context.Context) {
		gc.NewCollector(work, logger).Run(ctx)
	})
}

func connect(config *rest.Config, logger *slog.Logger) (*cluster, kubernetes.Interface, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	served := &kinds{client: discovery.ToDiscoveryInterfaceWithContext(client.Discovery())}
	return &cluster{objects: objects, events: client.CoreV1(), kinds: served, logger: logger}, client, nil
}
