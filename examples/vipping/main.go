// Command vipping is a complete VIPL program in the literal style: what a C program does
// call by call. A server and a client play ping-pong with messages, and then the client
// writes into the server's memory, with immediate data, and reads it back.
//
//	go run ./examples/vipping                       both sides, in this process
//	go run ./examples/vipping -nic soft-tcp -s      a server
//	go run ./examples/vipping -nic soft-tcp -h HOST its client; the server tells HOST
//
// # Flags
//
//	-nic NAME   the adapter (soft)
//	-s          be the server
//	-h HOST     be the client of the server there: an IP address, or a name for VipNSGetHostByName
//	-q NAME     the discriminator, up to 16 bytes (vipping)
//	-n N        messages of the ping-pong (100)
//	-b BYTES    of a message (64)
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/godapl/godapl/compat/vipl"
)

// options are what the flags say.
type options struct {
	nic, host, discriminator string
	server                   bool
	n, size                  int
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "vipping:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("vipping", flag.ContinueOnError)
	f.StringVar(&o.nic, "nic", "soft", "the adapter's `name`")
	f.BoolVar(&o.server, "s", false, "be the server")
	f.StringVar(&o.host, "h", "", "be the client of the server on that `host`")
	f.StringVar(&o.discriminator, "q", "vipping", "the `discriminator`, up to 16 bytes")
	f.IntVar(&o.n, "n", 100, "messages of the ping-pong")
	f.IntVar(&o.size, "b", 64, "`bytes` of a message")
	f.SetOutput(io.Discard) // main tells of errors
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(out)
		f.Usage()
	}
	if err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if o.size < placeSize || o.size > maxTransfer || o.n < 0 || len(o.discriminator) > vipl.MaxDiscriminatorLen {
		return fmt.Errorf("-b is %d to %d, -n at least 0, and -q has up to %d bytes", placeSize, maxTransfer, vipl.MaxDiscriminatorLen)
	}
	switch {
	case o.server && o.host != "":
		return errors.New("-s is for the server and -h for its client: give one of them, or neither")
	case o.server:
		return play(&o, out, (*side).serve)
	case o.host != "":
		return play(&o, out, (*side).call)
	}
	o.host = "127.0.0.1"
	server := make(chan error, 1)
	go func() { server <- play(&o, io.Discard, (*side).serve) }()
	return errors.Join(play(&o, out, (*side).call), <-server)
}
