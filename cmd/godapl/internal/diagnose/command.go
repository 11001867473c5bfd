package diagnose

import (
	"context"
	"flag"
	"net"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/cmd/godapl/internal/peer"
)

// Command is godapl doctor.
var Command = &command.Command{
	Usage: "doctor [-json] [-q] [-notest] [-device name] [-peer host[:port] | -serve [host]:port]",
	Short: "find what keeps RDMA from working",
	Long: `Doctor looks at everything on this host that makes RDMA fail: kernel modules,
the files in /dev/infiniband, libraries, devices, ports, GIDs, MTUs, limits,
control groups, what shared memory between processes needs, processors and
clock. Then it tries the adapters: in one process, between two processes, over
TCP, and each RDMA device with itself. It changes nothing and needs no
privileges.

That takes a second or two. A device that does not answer is given up after 20
seconds, another host after a minute; on a terminal a bar shows what is being
done.

It prints what is well (ok), and its findings: what it found, why that
matters, and what mends it. A problem keeps something from working, a warning
makes it worse or fail for some programs, a note needs no action. A host
without RDMA devices is no problem: the software adapter needs none.

The flags are:

	-json
		print a report in JSON. Names of findings are stable; docs/doctor.md
		of the project lists them.
	-q
		print findings only, without what is well.
	-notest
		do not try the adapters of this host. With -peer, those of the other
		host are tried nevertheless.
	-device name
		it is a problem if this RDMA device is not there. The name "any"
		stands for any device.
	-peer host[:port]
		look at another host, too, on which "godapl doctor -serve" runs, and
		try its adapters from here. The port is ` + peer.Port + ` unless given.
	-serve [host]:port
		answer the doctors of other hosts at this address, until interrupted,
		and print what they found. ":` + peer.Port + `" is every address with the
		usual port. There is no authentication: everybody who reaches the
		port sees the report of this host.

The exit status is 0 if there is no problem, 1 if there is at least one, on
this host or the other one, or if it was interrupted, and 2 if the command line
is wrong. With -serve it is 0 after an interrupt.`,
}

func init() { Command.Run = run }

// options are what the flags say.
type options struct {
	json, quiet, notest bool
	device, peer, serve string
	partner, alone      string
}

func run(ctx context.Context, args []string, to command.Streams) error {
	var o options
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.quiet, "q", false, "")
	flags.BoolVar(&o.notest, "notest", false, "")
	flags.StringVar(&o.device, "device", "", "")
	flags.StringVar(&o.peer, "peer", "", "")
	flags.StringVar(&o.serve, "serve", "", "")
	// The other process of a self-test, and that of a device: not for users.
	flags.StringVar(&o.partner, "partner", "", "")
	flags.StringVar(&o.alone, "alone", "", "")
	if err := Command.Parse(flags, args, to); err != nil {
		return err
	}
	switch {
	case o.partner != "":
		return o.bePartner(ctx, to)
	case o.alone != "":
		return o.beAlone(ctx, to)
	case o.serve != "" && o.peer != "":
		return command.Misuse("-serve and -peer exclude each other")
	case o.serve != "" && (o.json || o.notest):
		return command.Misuse("-serve goes with -q and -device only")
	case o.serve != "":
		if _, _, err := net.SplitHostPort(o.serve); err != nil {
			return command.Misuse("-serve %q: it is [host]:port, such as :%s for every address", o.serve, peer.Port)
		}
		return o.answer(ctx, to)
	}
	return o.examine(ctx, to)
}
