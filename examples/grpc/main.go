// Command grpc calls a gRPC service over RDMA, unary and by a stream.
//
//	go run . -serve -listen 127.0.0.1:7491
//	go run . -call 127.0.0.1:7491 some words
//
// It is a module of its own, so that the library does not depend on gRPC. Server and client are
// those of gRPC. Only the listener and the way to connect are from package rsocket.
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

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "grpc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("grpc", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	serving := flags.Bool("serve", false, "serve until interrupted")
	listen := flags.String("listen", "127.0.0.1:7491", "where, with -serve: `address:port`")
	target := flags.String("call", "", "`address:port` of a server to call with the words that follow")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *serving == (*target != "") {
		return errors.New("either -serve, or -call with the address of a server")
	}
	if *serving && flags.NArg() > 0 {
		return fmt.Errorf("-serve takes no %q: words are for -call", flags.Arg(0))
	}
	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	if *target != "" {
		return call(ctx, adapter, *target, flags.Args(), out)
	}
	server, address, err := serve(ctx, adapter, *listen)
	if err != nil {
		return err
	}
	fmt.Fprintln(errs, "serving at", address)
	<-ctx.Done()
	server.Stop() // not GracefulStop, which would wait for the streams of clients
	return nil
}

// serve starts a server.
func serve(ctx context.Context, adapter *rdma.Adapter, address string) (*grpc.Server, string, error) {
	ln, err := rsocket.Listen(ctx, adapter, address, rsocket.Config{})
	if err != nil {
		return nil, "", err
	}
	server := grpc.NewServer()
	server.RegisterService(&description, upper{})
	go server.Serve(ln)
	return server, ln.Addr().String(), nil
}

// dial makes a client that connects by RDMA. The name of the target goes to the adapter as it is.
func dial(adapter *rdma.Adapter, target string) (*grpc.ClientConn, error) {
	dialer := rsocket.Dialer{Adapter: adapter}
	connect := func(ctx context.Context, address string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", address)
	}
	return grpc.NewClient("passthrough:///"+target, grpc.WithContextDialer(connect),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// call has the words changed, one by a unary call and all by a stream.
func call(ctx context.Context, adapter *rdma.Adapter, target string, words []string, out io.Writer) error {
	c, err := dial(adapter, target)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, word := range words {
		answer, err := unary(ctx, c, word)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	answers, err := stream(ctx, c, words)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, answers)
	return err
}
