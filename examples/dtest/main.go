// Command dtest is a complete uDAPL program in the literal style: what a C program
// does call by call, line by line. A server and a client connect with private data,
// lend each other memory through windows, write and read it, and play ping-pong with
// messages.
//
//	go run ./examples/dtest                      both sides, in this process
//	go run ./examples/dtest -ia soft-tcp -s      a server
//	go run ./examples/dtest -ia soft-tcp -h HOST its client
//
// # Flags
//
//	-ia NAME      the adapter (soft)
//	-s            be the server
//	-h HOST       be the client of the server there
//	-q QUAL       the connection qualifier (45248)
//	-n N          messages of the ping-pong (100)
//	-b BYTES      of a message and of the lent memory (4096)
//	-m MODE       how completions are taken: poll (EVDDequeue), wait (EVDWait with
//	              threshold 1), or threshold (EVDWait until a burst has come)
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/godapl/godapl/compat/dat"
)

// options are what the flags say.
type options struct {
	ia, host, mode string
	server         bool
	qual           uint64
	n, size        int
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "dtest:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("dtest", flag.ContinueOnError)
	f.StringVar(&o.ia, "ia", "soft", "the adapter's `name`")
	f.BoolVar(&o.server, "s", false, "be the server")
	f.StringVar(&o.host, "h", "", "be the client of the server on that `host`")
	f.Uint64Var(&o.qual, "q", 45248, "connection qualifier")
	f.IntVar(&o.n, "n", 100, "messages of the ping-pong")
	f.IntVar(&o.size, "b", 4096, "`bytes` of a message")
	f.StringVar(&o.mode, "m", "wait", "how completions are taken: poll, wait or threshold")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if o.size < greetingSize || o.n < 0 || o.mode != "poll" && o.mode != "wait" && o.mode != "threshold" {
		return fmt.Errorf("-b is at least %d, -n at least 0, and -m poll, wait or threshold", greetingSize)
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
	listening := make(chan dat.IAHandle, 1)
	go func() {
		server <- play(&o, out, func(s *side) error {
			s.listening = listening
			return s.serve()
		})
	}()
	select {
	case ia := <-listening:
		err := play(&o, io.Discard, (*side).call)
		if err != nil {
			dat.IAClose(ia, dat.CloseAbruptFlag) // the server waits no longer
		}
		return errors.Join(err, <-server)
	case err := <-server:
		return err
	}
}

// play is one side, from opening the adapter to closing it.
func play(o *options, out io.Writer, connect func(*side) error) error {
	s := &side{o: o}
	if err := s.open(); err != nil {
		dat.IAClose(s.ia, dat.CloseAbruptFlag)
		return err
	}
	err := errors.Join(connect(s))
	for _, step := range []func() error{s.greet, s.rdma, s.pingPong, s.bye} {
		if err != nil {
			break
		}
		err = step()
	}
	if err != nil {
		dat.IAClose(s.ia, dat.CloseAbruptFlag)
		return err
	}
	_, err = fmt.Fprintf(out, "%d messages of %d bytes over %s, %s; memory written and read\n", o.n, o.size, o.ia, o.mode)
	return errors.Join(err, s.close())
}

// address is where the server is.
func (o *options) address() dat.IAAddressPtr {
	if ip := net.ParseIP(o.host); ip != nil {
		return &net.IPAddr{IP: ip}
	}
	a, err := net.ResolveIPAddr("ip", o.host)
	if err != nil {
		return nil // EPConnect says so
	}
	return a
}
