// Command kv is a key-value store whose clients read it without the store's help.
//
//	go run ./examples/kv [-adapter soft] [-readers 4] [-reads 10000] [-timeout 1m]
//
// The store keeps its table in registered memory. A client that wants a value reads the few
// slots in which its key can be, with one RDMA read, and looks for the key itself: the store
// runs no code and takes no lock for it. A slot may change while it is read, so it has a
// version and a checksum, and a client reads again until the checksum is right. Changes are
// messages to the store.
//
// The command has readers get a value while a writer changes it, and checks that each value
// is whole and that none is older than the one before.
//
// The files in the order of the story: main.go, store.go, client.go, slot.go.
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
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "kv:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("kv", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	host := flags.String("host", "127.0.0.1", "`address` of this machine on the adapter")
	readers := flags.Int("readers", 4, "`number` of clients that read")
	reads := flags.Int("reads", 10000, "of each reader")
	timeout := flags.Duration("timeout", time.Minute, "give up after this time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *readers < 1 || *reads < 1 {
		return errors.New("-readers and -reads must be more than 0, and there are no other arguments")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v (-timeout)", *timeout))
	defer cancel()

	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	s, err := open(ctx, adapter, net.JoinHostPort(*host, "0"))
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.put("colour", value(0)); err != nil {
		return err
	}

	w, err := dial(ctx, adapter, s.addr())
	if err != nil {
		return err
	}
	defer w.close()
	var done atomic.Bool
	var changes atomic.Int64
	var count counts
	var writer, all errgroup.Group
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	writer.Go(func() error {
		for !done.Load() {
			if err := w.put(ctx, "colour", value(changes.Load()+1)); err != nil {
				stop(err) // the readers would wait for a change
				return err
			}
			changes.Add(1)
		}
		return nil
	})
	// A reader may have done its part before a busy machine runs the writer: it reads on until then.
	enough := func(n int) bool { return n >= *reads && changes.Load() > 0 }
	for range *readers {
		all.Go(func() error { return read(reading, adapter, s.addr(), enough, &count) })
	}
	err = all.Wait()
	done.Store(true)
	if err := errors.Join(err, writer.Wait()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d reads of a value that changed %d times, all whole; %d were torn and repeated\n",
		count.reads.Load(), changes.Load(), count.torn.Load())
	return err
}

// value is the n-th: a letter, many times. A mixture of two would show.
func value(n int64) string { return strings.Repeat(string(rune('a'+n%26)), 200) }

// counts are of all readers.
type counts struct{ reads, torn atomic.Int64 }

// read gets the value until enough says that it has done so often enough.
func read(ctx context.Context, adapter *rdma.Adapter, address string, enough func(int) bool, count *counts) error {
	c, err := dial(ctx, adapter, address)
	if err != nil {
		return err
	}
	defer c.close()
	var last uint64
	n := 0
	for ; !enough(n); n++ {
		got, version, err := c.get(ctx, "colour")
		if err != nil {
			return err
		}
		if version < last || strings.Count(got, got[:1]) != len(got) {
			return fmt.Errorf("version %d after %d is %q", version, last, got)
		}
		last = version
	}
	count.reads.Add(int64(n))
	count.torn.Add(c.torn)
	return nil
}
