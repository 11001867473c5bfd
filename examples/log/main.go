// Command log replicates a log: an entry is committed when two of three replicas have it. The
// leader keeps no copy of the log and is none of the three.
//
//	go run ./examples/log [-adapter soft] [-entries 10000] [-timeout 1m]
//
// The leader writes each entry into the log memory of every replica, with one RDMA write
// that carries the entry's length as immediate data. A replica takes the lengths in batches,
// so that many entries cost it one wake-up, applies the entries, and sends back how many it
// has. The leader waits until a majority has what it has appended: it waits for a number of
// acknowledgements over all its connections, and then handles them together.
//
// Read the files in this order: main.go, leader.go, follower.go (the leader's record of a
// replica), replica.go.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"hash"
	"io"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/godapl/godapl/rdma"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "log:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: soft, soft-tcp, or a device's `name`")
	host := flags.String("host", "127.0.0.1", "`address` of this machine on the adapter")
	entries := flags.Int("entries", 10000, "`number` of entries")
	timeout := flags.Duration("timeout", time.Minute, "give up after this time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *entries < 1 {
		return errors.New("-entries must be more than 0, and there are no other arguments")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v (-timeout)", *timeout))
	defer cancel()

	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	var replicas []*replica
	var addresses []string
	sums := make([]hash.Hash, 3)
	for i := range sums {
		sums[i] = sha256.New()
		r, err := start(ctx, adapter, net.JoinHostPort(*host, "0"), func(entry []byte) { sums[i].Write(entry) })
		if err != nil {
			return err
		}
		defer r.close()
		replicas, addresses = append(replicas, r), append(addresses, r.addr())
	}
	took, want, err := lead(ctx, adapter, addresses, *entries)
	if err != nil {
		return err
	}
	wakeUps := 0
	for i, r := range replicas {
		r.close() // after the leader has gone, so it has all that the leader has written
		if got := sums[i].Sum(nil); r.entries != *entries || string(got) != string(want) {
			return fmt.Errorf("replica %d has %d entries with the sum %x, the leader %d with %x: %w", i, r.entries, got, *entries, want, r.err)
		}
		wakeUps += r.batches
	}
	_, err = fmt.Fprintf(out, "%d entries in %v, the same on all replicas, which took them in %d batches\n", *entries, took.Round(time.Millisecond), wakeUps)
	return err
}

// lead appends entries and commits them, some at a time.
func lead(ctx context.Context, adapter *rdma.Adapter, addresses []string, entries int) (took time.Duration, sum []byte, err error) {
	l, err := dial(ctx, adapter, addresses)
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		err = errors.Join(err, l.close(ctx))
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx) // all else follows from that
		}
	}()
	all := sha256.New()
	began := time.Now()
	for i := range entries {
		entry := fmt.Appendf(nil, "entry %d\n", i)
		all.Write(entry)
		if err := l.append(ctx, entry); err != nil {
			return 0, nil, err
		}
		if i%8 == 7 || i == entries-1 {
			if err := l.commit(ctx); err != nil {
				return 0, nil, err
			}
		}
	}
	return time.Since(began), all.Sum(nil), nil
}
