// Command http serves the files of a folder by HTTP over RDMA, and gets them.
//
//	go run ./examples/http -serve . -listen 127.0.0.1:7490
//	go run ./examples/http -get http://127.0.0.1:7490/README.md >copy
//
// With -cert and -key it is HTTPS, by HTTP/2; -ca names the certificates that the client trusts.
//
// Server and client are those of net/http. Only the listener and the way to connect are from
// package rsocket: see server.go and client.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/godapl/godapl/rdma"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "http:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("http", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	folder := flags.String("serve", "", "`folder` to serve, until interrupted")
	listen := flags.String("listen", "127.0.0.1:7490", "where, with -serve: `address:port`")
	cert := flags.String("cert", "", "with -serve: `file` with the certificates of the server, for HTTPS")
	key := flags.String("key", "", "with -serve: `file` with the key of the first of them")
	url := flags.String("get", "", "`URL` to get and print")
	ca := flags.String("ca", "", "with -get: `file` with certificates to trust, instead of the system's")
	fallback := flags.Bool("fallback", false, "with -get: over TCP, if there is no way by RDMA")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || (*folder == "") == (*url == "") {
		return errors.New("either -serve a folder or -get a URL, and nothing else")
	}
	switch {
	case *url != "" && *cert+*key != "":
		return errors.New("-cert and -key are for -serve")
	case *folder != "" && (*ca != "" || *fallback):
		return errors.New("-ca and -fallback are for -get")
	case (*cert == "") != (*key == ""):
		return errors.New("HTTPS needs both -cert and -key")
	}
	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	if *url != "" {
		c, err := newClient(adapter, *ca, *fallback)
		if err != nil {
			return err
		}
		defer c.CloseIdleConnections()
		return get(ctx, c, *url, out)
	}
	s, err := serve(ctx, adapter, *listen, *folder, *cert, *key)
	if err != nil {
		return err
	}
	fmt.Fprintf(errs, "serving %s at %s\n", *folder, s.addr())
	select {
	case <-ctx.Done():
		return s.close()
	case err := <-s.ended:
		return err
	}
}
