package ping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/rdma"
)

// options are what the flags say.
type options struct {
	server, client    bool
	host              string
	port              uint16
	address           string // both
	adapter           string
	count, size       int
	verbose, validate bool
	debug, persistent bool
	out, errs         io.Writer
}

// The bounds of the C program, which has them for a text's head and a buffer.
const (
	minSize     = 23
	maxSize     = 64<<10 - 1
	defaultSize = 64
	defaultPort = 7174
)

// run executes ping with these arguments, until it has ended or ctx is done.
func run(ctx context.Context, args []string, out, errs io.Writer) error {
	opt, err := parse(args, out, errs)
	if err != nil {
		return err
	}
	adapter, err := rdma.Open(ctx, opt.adapter, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	if opt.server {
		return opt.serve(ctx, adapter)
	}
	return opt.ping(ctx, adapter)
}

// parse reads the command line. Its errors are misuse.
func parse(args []string, out, errs io.Writer) (*options, error) {
	opt := &options{out: out, errs: errs}
	flags := opt.flags()
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return nil, cmp.Or(Command.Help(out), err)
	} else if err != nil {
		return nil, command.Misuse("%w", err)
	}
	if opt.size == 0 && opt.server {
		opt.size = maxSize
	} else if opt.size == 0 {
		opt.size = defaultSize
	}
	switch {
	case opt.server == opt.client:
		return nil, command.Misuse("either -s or -c is needed; see godapl help ping")
	case flags.NArg() > 0:
		return nil, command.Misuse("what is %q? The address comes after -a", flags.Arg(0))
	case opt.client && opt.host == "":
		return nil, command.Misuse("-c needs the server's address: -a ADDRESS")
	case opt.client && opt.persistent:
		return nil, command.Misuse("-P is for servers")
	case opt.count < 0:
		return nil, command.Misuse("-C %d: there are no fewer than no pings", opt.count)
	case opt.size < minSize || opt.size > maxSize:
		return nil, command.Misuse("-S %d: a ping has from %d to %d bytes", opt.size, minSize, maxSize)
	}
	opt.address = net.JoinHostPort(opt.host, strconv.Itoa(int(opt.port)))
	return opt, nil
}

// say tells a step, with -d.
func (opt *options) say(format string, args ...any) {
	if opt.debug {
		fmt.Fprintf(opt.errs, "ping: "+format+"\n", args...)
	}
}
