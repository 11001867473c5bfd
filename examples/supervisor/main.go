// Command supervisor keeps actors in several processes going, and kills them to show it.
//
//	go run ./examples/supervisor [-clients 3] [-kills 6] [-adapter soft]
//
// One process is a ledger, a mailbox that appends the entries of its clients to a file. The others are
// clients; each numbers its entries. The supervisor starts them, kills one after the other with
// SIGKILL in the middle of their work, and starts them again. At the end each entry of each client
// is in the ledger once, and in order.
//
// The parts of Erlang that this takes are a few lines each:
//
//	link       work that ends with its peer, and ends its peer: the context and the Close in keep
//	monitor    a message when a peer is gone: Message.Down in a mailbox; monitor for all other cases
//	supervisor keep: make it again, after a pause that grows
//
// A process counts as an actor like a connection: both have a context that ends with them.
//
// An entry whose ask ended with an error may be in the ledger or not. So a client first asks for
// the number of its latest entry, after every dial, and goes on from there. The ledger takes the
// next number only, since the last entry of a killed client may arrive late.
//
// The files in the order of the story: main.go, keep.go, ledger.go, client.go, family.go, child.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/godapl/godapl/rdma"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "supervisor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	if len(args) > 0 && (args[0] == "ledger" || args[0] == "client") { // we are a child
		return runChild(ctx, args, in, out)
	}
	flags := flag.NewFlagSet("supervisor", flag.ContinueOnError)
	flags.SetOutput(errs)
	f := &family{out: out, errs: errs}
	flags.StringVar(&f.adapter, "adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	flags.IntVar(&f.clients, "clients", 3, "`number` of client processes")
	flags.IntVar(&f.kills, "kills", 6, "how often a process is killed, the ledger and clients in turns")
	flags.StringVar(&f.dir, "dir", "", "`folder` for the ledger's file; a temporary one if empty")
	timeout := flags.Duration("timeout", time.Minute, "give up after this time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || f.clients < 1 || f.kills < 0 {
		return errors.New("-clients must be more than 0, -kills not negative, and there are no other arguments")
	}
	adapter, err := rdma.Open(ctx, f.adapter, rdma.OpenConfig{}) // or each child would fail, again and again
	if err != nil {
		return err
	}
	if err := adapter.Close(); err != nil {
		return err
	}
	if f.dir == "" {
		dir, err := os.MkdirTemp("", "ledger")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.dir = dir
	}
	if _, err := os.ReadDir(f.dir); err != nil { // as with the adapter
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v (-timeout)", *timeout))
	defer cancel()
	return f.run(ctx)
}

// journal is the file with the entries, and registry the one with the address of the ledger. It
// stands for a name service.
func journal(dir string) string  { return filepath.Join(dir, "journal") }
func registry(dir string) string { return filepath.Join(dir, "address") }
