// Command perf measures the library, in the manner of perftest and ucx_perftest.
//
//	go run ./examples/perf -path loop -op write -size 8 -mode poll -depth 16
//	go run ./examples/perf -path tcp -op send -size 64 -mode wait -vs raw
//
// It connects two sides; the active side starts all operations. With -path tcp and
// -path shm the sides are two processes on this host, the second one started by the
// first. With -path loop both are in one process.
//
// # Flags
//
//	-path PATH         how bytes travel: loop, a copy in the process; shm, memory that
//	                   two processes share; tcp, iWARP over TCP
//	-op OP             send, write, read, or fadd (fetch-add, of 8 bytes)
//	-size BYTES        of one operation (8)
//	-mode MODE         how completions are taken, on both sides:
//	                   poll   Dispatcher.Poll in a loop
//	                   wait   Dispatcher.WaitBatch, which parks
//	                   chan   Dispatcher.C, a channel of completions
//	                   batch  Dispatcher.Batches, a channel of batches
//	-depth N           operations in flight in the rate phase, of all endpoints
//	                   together (1)
//	-list N            operations per doorbell: above 1 they are posted with a
//	                   Batch (1; with -mode batch: half of -depth)
//	-places N          places in memory that the operations use in turn (-depth). With 1,
//	                   all are between the same bytes, as ucx_perftest's are
//	-endpoints N       connected endpoints, used in turn (1). Each side takes the
//	                   completions of all requests from one queue, those of all
//	                   receives from another
//	-duration TIME     of each phase (1s)
//	-n N               operations of each phase, instead of -duration
//	-api native|dat    which API the active side uses; dat has the modes poll
//	                   (EVDDequeue) and wait (EVDWait), and one endpoint
//	-vs raw            compare with bare sockets, eventfds or copies, see below
//	-vs polled         compare large writes over tcp with bare polled sockets
//	-vs native         compare -api dat with -api native
//	-vs one            compare many endpoints with one
//	-vs ucx            compare with UCX's ucx_perftest, -vs ucx:TEST with that test
//	-vs libfabric      compare with libfabric's fi_pingpong
//	-vs perftest       compare with perftest's programs for devices
//	-rounds N          of the comparison (7)
//	-slices            memory is slices of the program's own; without it it is the
//	                   library's, which the other process maps on the shm path
//	-only PHASE        latency or rate; the other's figures are 0
//	-cpuprofile FILE   write a profile, and FILE.peer of a second process
//	-json              print one object
//	-timeout TIME      give up after that (10m)
//
// # What is measured
//
// Latency and rate are separate phases. The rate phase keeps -depth operations in
// flight and reads the clock only at its start and end. It ends when everything has
// arrived: where the completion of a send or write does not prove that (iWARP), a read
// at the end does. This phase gives the rate and the bandwidth, the processor time (user
// and system, of both sides together), and the allocations of both sides.
//
// The latency phase does one operation at a time. The latency of a send is one way: half
// the round trip of a message and its answer. The same holds for a write, which carries
// immediate data, as its answer does: in Go, polling the last byte of memory that a peer
// writes is a data race. Between two processes that share memory it is none, so polled
// writes of whole words over shm carry no immediate data: both sides take the completion
// of their own write and poll the last word of their memory until it changes. The
// latency of read and fadd is the time from post to completion. It includes two reads of
// the clock; in comparisons there are two reads for 16 operations.
//
// In the loop path both sides are goroutines of one process. In sends and in the latency
// of writes both of them work; in a rate of writes, reads or fadds only one does.
//
// # Comparisons
//
// With -vs, after the measurement, perf measures again in turns with something else,
// -rounds times. It prints the median of the rounds' ratios, ours divided by theirs,
// with the smallest and the largest: of the latency for sends, else of the bandwidth or
// rate. For the programs of others -only selects one of the two.
//
//	tcp send, poll       raw: a ping-pong on two non-blocking sockets that are used
//	                     only by two spinning loops of system calls (Linux)
//	tcp send, else       raw: a ping-pong on net.Conn
//	tcp write            raw: a stream over net.Conn, by writes of the size that is
//	                     fastest: that of ours, or 64 KiB to 1 MiB as far as -size
//	                     times -places reaches
//	tcp write            polled: writes of -size to a non-blocking socket, with a peer
//	                     that reads another in a loop: no framing, checksum, memory
//	                     checks or completions; what the system's TCP can do (Linux)
//	shm send, not poll   raw: a ping-pong of two eventfds in Go's poller, without
//	                     data: the minimal cost of waking the other process
//	loop write           raw: copy, of the same memory
//	-endpoints N         one: the same between two other sides, with one endpoint
//	-api dat             native: the same between two other sides, with as many
//	                     completions taken at a time (-take); the difference of
//	                     the times is what the calls of one post and one completion add
//	tcp                  ucx: ucx_perftest over TCP (UCX_TLS=tcp), by default its
//	                     tag_lat or tag_bw for sends, ucp_put_lat or ucp_put_bw for
//	                     writes, ucp_get and ucp_fadd
//	shm                  ucx: the same over shared memory (UCX_TLS=posix,cma,self)
//	tcp                  libfabric: fi_pingpong -p tcp -e msg, for sends and writes.
//	                     Its bandwidth is that of one message at a time
//	verbs:DEVICE         perftest: ib_send_lat, ib_write_bw and so on, by the operation and
//	                     phase, connected as ours are (-R), with their own 128
//	                     operations in flight in the bandwidth ones
//
// The programs of other libraries must be installed; in Debian they are in the packages
// ucx-utils, libfabric-bin and perftest. Their two sides are two processes, like ours.
// The number of their operations follows from -duration, or from -n.
//
// # Two hosts
//
//	one$   perf -path verbs:mlx5_0 -serve :7472
//	other$ perf -path verbs:mlx5_0 -peer one:7472 -op send
//
// The commands to the other side use a separate TCP connection.
//
// # Output
//
// A table, or with -json one object:
//
//	{"path","op","size","mode","depth","api","ops","lat_p50_ns","lat_p99_ns",
//	"ops_per_s","bytes_per_s","cpu_ns_per_op","allocs_per_op","errors"}
//
// where ops are those of the rate phase, and with -vs also "vs" with the ratio.
// If an operation fails, errors is not 0 and neither is the exit status.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	if len(args) == 2 && args[0] == "peer" { // we are the second process
		return servePeer(ctx, args[1], os.Stdin, os.Stdout)
	}
	cfg, err := parse(args, errs)
	if err != nil {
		return err
	}
	if cfg.Serve != "" {
		return serveHost(ctx, cfg, errs)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Timeout, fmt.Errorf("not done after %v (-timeout)", cfg.Timeout))
	defer cancel()
	stop, err := profile(cfg.CPUProfile)
	if err != nil {
		return err
	}
	res, err := measure(ctx, cfg, errs)
	err = errors.Join(err, stop())
	if res == nil {
		return err
	}
	if cfg.JSON {
		return errors.Join(err, res.json(out))
	}
	return errors.Join(err, res.table(out))
}
