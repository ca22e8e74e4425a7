// Command collector collects garbage on a server of the Kubernetes API: it deletes what nobody
// owns any more, as package gc does, from a process of its own.
//
//	collector [flags]
//
// Any number may run; the one that holds a lease works.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	err := run(ctx, os.Args[1:], os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "collector:", err)
		os.Exit(1)
	}
}
