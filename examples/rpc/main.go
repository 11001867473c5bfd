// Command rpc is a server that takes the requests of a hundred clients from one inbox.
//
//	go run ./examples/rpc [-adapter soft] [-clients 100] [-calls 1000] [-timeout 1m]
//
// All connections of the server share the receives of the inbox, so the server needs the same
// memory for ten clients and for a thousand. Each request has a goroutine. It writes the answer
// over the request, sends it from there, and releases the message, which makes its memory a
// receive again. A client posts the receive of the answer before it sends the request.
//
// The adapter is any that rdma.Open takes: soft-tcp is iWARP over TCP, rxe0 an RDMA device.
//
// The files in the order of the story: main.go, server.go, client.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "rpc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("rpc", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	host := flags.String("host", "127.0.0.1", "`address` of this machine on the adapter")
	clients := flags.Int("clients", 100, "`number` of connections")
	calls := flags.Int("calls", 1000, "of each client")
	timeout := flags.Duration("timeout", time.Minute, "give up after this time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *clients < 1 || *calls < 1 {
		return errors.New("-clients and -calls must be more than 0, and there are no other arguments")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v (-timeout)", *timeout))
	defer cancel()

	// A request that finds no buffer waits, on a busy machine longer than the usual second.
	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{ReceiveWait: *timeout})
	if err != nil {
		return err
	}
	defer adapter.Close()
	s, err := serve(ctx, adapter, net.JoinHostPort(*host, "0"), upper)
	if err != nil {
		return err
	}
	began := time.Now()
	var all errgroup.Group
	for n := range *clients {
		all.Go(func() error { return ask(ctx, adapter, s.addr(), n, *calls) })
	}
	if err := errors.Join(all.Wait(), s.close()); err != nil {
		return err
	}
	took := time.Since(began)
	_, err = fmt.Fprintf(out, "%d clients, %d calls each, with %d buffers: %d answers, %.0f/s\n",
		*clients, *calls, buffers, s.answered.Load(), float64(s.answered.Load())/took.Seconds())
	return err
}

// upper is the service: it changes the message to capital letters, in place.
func upper(message []byte) {
	for i, c := range message {
		if 'a' <= c && c <= 'z' {
			message[i] = c - 'a' + 'A'
		}
	}
}
