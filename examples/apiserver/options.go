package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
)

// inMemory is the value of --data that keeps nothing.
const inMemory = "memory"

// options are the command line.
type options struct {
	listen     string // HOST:PORT
	data       string // file of the store, or inMemory
	token      string // of the administrator
	tokenFile  string
	kubeconfig string // file that is written
	plain      bool   // HTTP without TLS
	resources  string // file with resource types; "" for none

	controllers bool // run by the program itself

	givenToken bool
}

const usage = `usage: apiserver [flags] [RESOURCES]

RESOURCES is a file, in YAML or JSON, that describes more resource types.

`

// parseOptions reads the command line and completes what it leaves out.
func parseOptions(args []string, messages io.Writer) (*options, error) {
	var o options
	f := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	f.SetOutput(messages)
	f.Usage = func() {
		fmt.Fprint(messages, usage)
		f.PrintDefaults()
	}
	f.StringVar(&o.listen, "listen", "127.0.0.1:6443", "`HOST:PORT` to serve at; port 0 takes a free one")
	f.StringVar(&o.data, "data", "plinth.db", "`FILE` that keeps the objects; \"memory\" keeps them nowhere")
	f.StringVar(&o.token, "token", "", "bearer `TOKEN` of the administrator; random, if not given")
	f.StringVar(&o.tokenFile, "token-file", "", "`FILE` with more tokens, in lines of token,user,uid,\"group,group\"")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`FILE` to write the administrator's kubeconfig to (default: beside the data, or plinth.kubeconfig)")
	f.BoolVar(&o.plain, "http", false, "serve HTTP without TLS, at a loopback address only")
	f.BoolVar(&o.controllers, "controllers", true, "collect garbage; false leaves that to others")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 1 {
		return nil, fmt.Errorf("more than one file of resources: %s", strings.Join(f.Args(), " "))
	}
	o.resources = f.Arg(0)
	return &o, o.complete()
}

func (o *options) complete() error {
	if o.data == "" {
		return errors.New("--data is empty")
	}
	if o.plain {
		if err := checkLoopback(o.listen); err != nil {
			return err
		}
	}
	o.givenToken = o.token != ""
	if !o.givenToken {
		o.token = rand.Text()
	}
	if o.kubeconfig == "" {
		o.kubeconfig = o.beside(".kubeconfig")
	}
	return nil
}

// beside names a file that goes with the data.
func (o *options) beside(extension string) string {
	if o.data == inMemory {
		return "plinth" + extension
	}
	return strings.TrimSuffix(o.data, filepath.Ext(o.data)) + extension
}

// checkLoopback refuses addresses that others than this machine can reach.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("--http serves at loopback addresses only, since tokens travel in the clear; %q is none", host)
	}
	return nil
}
