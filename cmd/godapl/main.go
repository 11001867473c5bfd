// Command godapl looks at RDMA on this host, says what is wrong with it, tries it,
// and measures it.
//
//	go install github.com/godapl/godapl/cmd/godapl@latest
//	godapl help
//
// Each subcommand is a package of the folder internal here.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/cmd/godapl/internal/devices"
	"github.com/godapl/godapl/cmd/godapl/internal/diagnose"
	"github.com/godapl/godapl/cmd/godapl/internal/figures"
	"github.com/godapl/godapl/cmd/godapl/internal/perf"
	"github.com/godapl/godapl/cmd/godapl/internal/ping"
	"github.com/godapl/godapl/cmd/godapl/internal/top"
)

// commands are the subcommands, in the order of the alphabet.
var commands = []*command.Command{
	devices.Command,
	diagnose.Command,
	figures.Command,
	perf.Command,
	ping.Command,
	top.Command,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := run(ctx, os.Args[1:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
