// Command fileserver serves the files of a folder by RDMA writes.
//
//	go run ./examples/fileserver -serve . -listen 127.0.0.1:7480
//	go run ./examples/fileserver -get README.md -from 127.0.0.1:7480 >copy
//
// A client asks for a piece of a file in a message, which names the memory that the piece is
// to go to. The server writes the piece there, with its length as immediate data, which takes
// the client's receive: so the client copies nothing, and hears of a piece when it is there.
// Some pieces are under way at a time. A refusal is a message.
//
// The files in the order of the story: main.go, server.go, client.go, request.go.
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
		fmt.Fprintln(os.Stderr, "fileserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("fileserver", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	folder := flags.String("serve", "", "`folder` to serve, until interrupted")
	listen := flags.String("listen", "127.0.0.1:7480", "where, with -serve: `address:port`")
	file := flags.String("get", "", "`file` to get and print")
	from := flags.String("from", "127.0.0.1:7480", "from where, with -get: `address:port`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || (*folder == "") == (*file == "") {
		return errors.New("either -serve a folder or -get a file, and nothing else")
	}
	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	if *file != "" {
		c, err := dial(ctx, adapter, *from)
		if err != nil {
			return err
		}
		return errors.Join(c.get(ctx, *file, out), c.close())
	}
	s, err := serve(ctx, adapter, *listen, *folder)
	if err != nil {
		return err
	}
	fmt.Fprintf(errs, "serving %s at %s\n", *folder, s.addr())
	<-ctx.Done()
	return s.close()
}
