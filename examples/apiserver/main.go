// Command apiserver serves the Kubernetes API over an embedded store: kinds of
// Kubernetes itself (package builtin says which), those that clients define, and the
// resource types that a file describes.
//
//	apiserver [flags] [RESOURCES]
//
// At the start it prints how to reach it. "apiserver -h" lists the flags, and
// [parseResources] says what RESOURCES may hold.
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
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}
