// Command rping pings by RDMA, and speaks with the rping of rdma-core.
//
//	rping -s [-vVdP] [-a ADDRESS] [-p PORT] [-S SIZE]
//	rping -c [-vVd] -a ADDRESS [-p PORT] [-C COUNT] [-S SIZE]
//
// Try it with itself, in two terminals:
//
//	go run ./examples/rping -s -v
//	go run ./examples/rping -c -a 127.0.0.1 -C 5 -vV
//
// The flags, the port and the messages are those of the C program in rdma-core's
// package rdmacm-utils, so either side may be that: docs/interop.md shows it
// with Linux's software iWARP, from a machine that has no RDMA at all.
//
// # What a ping is
//
// The client fills memory with a text and tells the server, in a message of 16
// bytes, where it is. The server reads it from there and answers. The client
// tells where it wants it back. The server writes it there and answers. So each
// ping takes a send in both directions twice, a read, and a write; no code of
// the client's runs for the latter two.
//
// The files in the order of the story: ping.go, client.go, server.go. In line.go
// are the messages of both.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/godapl/godapl/rdma"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "rping:", err)
		os.Exit(1)
	}
}

// options are what the flags say.
type options struct {
	server, client    bool
	address           string // host:port
	adapter           string
	count, size       int
	verbose, validate bool
	debug, persistent bool
	out, errs         io.Writer
}

// The bounds of the C program, which has them for a text's head and a buffer.
const (
	minSize     = 23
	maxSize     = 64<<10 - 1
	defaultSize = 64
	defaultPort = 7174
)

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	opt, err := parse(args, out, errs)
	if err != nil {
		return err
	}
	adapter, err := rdma.Open(ctx, opt.adapter, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	if opt.server {
		return opt.serve(ctx, adapter)
	}
	return opt.ping(ctx, adapter)
}

func parse(args []string, out, errs io.Writer) (*options, error) {
	opt := &options{out: out, errs: errs}
	flags := pflag.NewFlagSet("rping", pflag.ContinueOnError)
	flags.SetOutput(errs)
	flags.SortFlags = false
	flags.BoolVarP(&opt.client, "client", "c", false, "ping a server")
	flags.BoolVarP(&opt.server, "server", "s", false, "answer a client, and end when it leaves")
	flags.BoolVarP(&opt.persistent, "persistent", "P", false, "as a server: answer any number of clients, until interrupted")
	host := flags.StringP("address", "a", "", "the server's `host`; as a server: where to listen (everywhere)")
	port := flags.Uint16P("port", "p", defaultPort, "the server's `port`")
	flags.IntVarP(&opt.count, "count", "C", 0, "as a client: the `number` of pings; 0 for no end")
	size := flags.IntP("size", "S", 0, fmt.Sprintf("`bytes` of a ping, %d to %d (%d); as a server: the most that is taken (%d)", minSize, maxSize, defaultSize, maxSize))
	flags.BoolVarP(&opt.verbose, "verbose", "v", false, "show the pings")
	flags.BoolVarP(&opt.validate, "validate", "V", false, "compare each ping with what it should be")
	flags.BoolVarP(&opt.debug, "debug", "d", false, "tell every step")
	flags.StringVarP(&opt.adapter, "adapter", "A", "soft", "what moves the bytes, by `name`: soft (iWARP over TCP, or less on one host), or an RDMA device such as siw0 or mlx5_0")
	flags.Usage = func() {
		fmt.Fprint(errs, "usage: rping -s [flags]              answer\n       rping -c -a ADDRESS [flags]   ping\n\n", flags.FlagUsages())
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	opt.size = *size
	if opt.size == 0 && opt.server {
		opt.size = maxSize
	} else if opt.size == 0 {
		opt.size = defaultSize
	}
	switch {
	case opt.server == opt.client:
		flags.Usage()
		return nil, errors.New("either -s or -c is needed")
	case flags.NArg() > 0:
		return nil, fmt.Errorf("what is %q? The address comes after -a", flags.Arg(0))
	case opt.client && *host == "":
		return nil, errors.New("-c needs the server's address: -a ADDRESS")
	case opt.client && opt.persistent:
		return nil, errors.New("-P is for servers")
	case opt.count < 0:
		return nil, fmt.Errorf("-C %d: there are no fewer than no pings", opt.count)
	case opt.size < minSize || opt.size > maxSize:
		return nil, fmt.Errorf("-S %d: a ping has from %d to %d bytes", opt.size, minSize, maxSize)
	}
	opt.address = net.JoinHostPort(*host, strconv.Itoa(int(*port)))
	return opt, nil
}

// say tells a step, with -d.
func (opt *options) say(format string, args ...any) {
	if opt.debug {
		fmt.Fprintf(opt.errs, "rping: "+format+"\n", args...)
	}
}
