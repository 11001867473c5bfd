package devices

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// Command is godapl devices.
var Command = &command.Command{
	Usage: "devices [-json] [-v]",
	Short: "list the adapters with attributes, ports, GIDs and limits",
	Long: `Devices lists the adapters that programs can open here: the software adapter
and its paths, and the RDMA devices. For RDMA devices it shows ports and GIDs,
and for each address the GID that the connection manager takes.

The flags are:

	-json
		print a list in JSON. Attributes are named as in the type
		rdma.Attributes.
	-v
		print all capabilities and limits.

An adapter that cannot be opened is listed with the reason; "godapl doctor"
says what mends it. The exit status is 0 if all adapters could be opened, 1 if
one could not, and 2 if the command line is wrong.`,
}

func init() { Command.Run = run }

func run(ctx context.Context, args []string, to command.Streams) error {
	flags := flag.NewFlagSet("devices", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	verbose := flags.Bool("v", false, "")
	if err := Command.Parse(flags, args, to); err != nil {
		return err
	}
	all := list(ctx, os.DirFS("/"))
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(to.Out)
		e.SetIndent("", "  ")
		if err := e.Encode(all); err != nil {
			return err
		}
	} else {
		var text bytes.Buffer
		for _, a := range all {
			a.write(&text, *verbose)
		}
		if _, err := text.WriteTo(to.Out); err != nil {
			return err
		}
	}
	for _, a := range all {
		if a.Error != "" {
			return command.ErrSilent
		}
	}
	return nil
}
