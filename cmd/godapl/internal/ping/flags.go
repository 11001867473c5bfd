package ping

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// Command is godapl ping.
var Command = &command.Command{
	Usage: "ping {-s | -c -a ADDRESS} [flags]",
	Short: "ping by RDMA; the other side may be the C program rping",
}

func init() {
	Command.Run = func(ctx context.Context, args []string, to command.Streams) error {
		return run(ctx, args, to.Out, to.Err)
	}
	Command.Long = `Ping is the rping of rdma-core's package rdmacm-utils: a server (-s) answers,
a client (-c) pings. Port, messages and flags are the same, so either side may
be the C program. Its flags -I and -q are missing here.

For each ping, the client fills memory with a text and tells the server where
it is. The server reads it from there, and writes it back to another place.
At its end the client prints the times of the round trips.

With itself, in two terminals:

	godapl ping -s -v
	godapl ping -c -a 127.0.0.1 -C 5 -vV

The flags are:

` + new(options).flags().FlagUsages() + `
The server ends when its client leaves, unless it has -P. It accepts pings of
any size up to its -S; the -S of the C program must not be smaller than the
client's.

The exit status is 0 if all pings came back, 1 if one did not or there was no
connection, and 2 if the command line is wrong. A server with -P, and a client
without -C, end with 0 after an interrupt.`
}

// flags are the flags of the command line, which set opt.
func (opt *options) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("ping", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.BoolVarP(&opt.client, "client", "c", false, "ping a server")
	flags.BoolVarP(&opt.server, "server", "s", false, "answer a client, and end when it leaves")
	flags.BoolVarP(&opt.persistent, "persistent", "P", false, "as a server: answer any number of clients, until interrupted")
	flags.StringVarP(&opt.host, "address", "a", "", "the server's `host`; as a server: where to listen (everywhere)")
	flags.Uint16VarP(&opt.port, "port", "p", defaultPort, "the server's `port`")
	flags.IntVarP(&opt.count, "count", "C", 0, "as a client: the `number` of pings; 0 for no end")
	flags.IntVarP(&opt.size, "size", "S", 0, fmt.Sprintf("`bytes` of a ping, %d to %d (%d); as a server: the most that is taken (%d)", minSize, maxSize, defaultSize, maxSize))
	flags.BoolVarP(&opt.verbose, "verbose", "v", false, "show the pings")
	flags.BoolVarP(&opt.validate, "validate", "V", false, "compare each ping with what it should be")
	flags.BoolVarP(&opt.debug, "debug", "d", false, "tell every step")
	flags.StringVarP(&opt.adapter, "adapter", "A", "soft", "what moves the bytes, by `name`: soft (memory on one host, else iWARP over TCP), or an RDMA device such as siw0 or mlx5_0")
	return flags
}
