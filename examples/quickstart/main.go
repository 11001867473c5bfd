// Command quickstart moves a file between two processes by RDMA reads.
//
//	go run ./examples/quickstart [-path loop|shm|tcp] [-adapter NAME] [-timeout 5m] [file]
//
// It starts a second process of itself, the owner, which loads the file (without
// one: this program's own executable) into registered memory. The first process,
// the reader, fetches it from there, with several reads in flight. No code of the
// owner's program runs for that. Then the two compare SHA-256 sums, each of
// what it has, and send a short message back and forth to see how long that takes.
//
// Two processes of one host share memory (Linux): -path shm says so. With -path tcp
// the bytes travel as iWARP over TCP. With -path loop both sides run in one process,
// and a read is a copy from memory to memory.
//
// With -adapter rxe0 (or mlx5_0, or whatever RDMA device this machine has) the
// bytes go through that device. Two hosts are as good as two processes: one
// reads with -listen ADDRESS:PORT, the other owns with -connect ADDRESS:PORT.
//
// The files in the order of the story: main.go, reader.go, owner.go. The others
// are about processes, files and terminals.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// adapters are what rdma.Open is given. "soft" chooses by itself: memory within
// a process, shared memory between two of one host, else TCP.
var adapters = map[string]string{"": "soft", "loop": "soft-loop", "shm": "soft-shm", "tcp": "soft-tcp"}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	if len(args) == 4 && args[0] == "owner" { // we are the second process
		return own(ctx, args[1], args[2], args[3])
	}
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(errs)
	path := flags.String("path", "", "force how the bytes travel: loop, shm or tcp")
	device := flags.String("adapter", "", "use the RDMA device of this `name`, such as rxe0 or mlx5_0")
	listen := flags.String("listen", "", "read from an owner elsewhere, who connects to `address:port`")
	connect := flags.String("connect", "", "be the owner for a reader who listens at `address:port`")
	timeout := flags.Duration("timeout", 5*time.Minute, "give up after this time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	adapter, ok := adapters[*path]
	if !ok {
		return fmt.Errorf("no path %q: there are loop, shm and tcp", *path)
	}
	if *device != "" {
		if *path != "" {
			return fmt.Errorf("-path is for the software adapter; -adapter %s is another", *device)
		}
		adapter = *device
	}
	if flags.NArg() > 1 {
		return fmt.Errorf("one file at a time, not %d", flags.NArg())
	}
	if *path == "loop" && (*listen != "" || *connect != "") {
		return errors.New("-path loop is within one process; with -listen and -connect the other side is another one")
	}
	if *listen != "" && *connect != "" {
		return errors.New("-listen is for the reader and -connect for the owner: give one of them")
	}
	file, err := fileToSend(flags.Arg(0))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("not done after %v (-timeout)", *timeout))
	defer cancel()

	start := startProcess(errs) // how to get an owner
	switch {
	case *connect != "":
		return own(ctx, adapter, *connect, file)
	case *listen != "":
		start = waitElsewhere(out)
	case *path == "loop":
		start = startHere
	}
	return fetch(ctx, out, adapter, *listen, file, start)
}
