package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// run executes a command line, without the name of the program, and returns the exit code.
func run(ctx context.Context, args []string, to command.Streams) int {
	if len(args) == 0 {
		usage(to.Err)
		return command.Misused
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return help(args, to)
	}
	c := find(name)
	if c == nil {
		fmt.Fprintf(to.Err, "godapl %s: unknown command\nRun 'godapl help' for usage.\n", name)
		return command.Misused
	}
	err := c.Run(ctx, args, to)
	if text := command.Message(err); text != "" {
		fmt.Fprintf(to.Err, "godapl %s: %s\n", name, text)
	}
	return command.Code(err)
}

func find(name string) *command.Command {
	for _, c := range commands {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// help is godapl help [TOPIC].
func help(args []string, to command.Streams) int {
	var text bytes.Buffer
	switch len(args) {
	case 0:
		usage(&text)
	case 1:
		if args[0] == "exit-codes" {
			text.WriteString(exitCodes)
		} else if c := find(args[0]); c != nil {
			_ = c.Help(&text)
		} else {
			fmt.Fprintf(to.Err, "godapl help %s: unknown help topic. Run 'godapl help'.\n", args[0])
			return command.Misused
		}
	default:
		fmt.Fprintf(to.Err, "godapl help: one topic at a time, not %d. Run 'godapl help'.\n", len(args))
		return command.Misused
	}
	if _, err := text.WriteTo(to.Out); err != nil {
		fmt.Fprintf(to.Err, "godapl help: %v\n", err)
		return command.Failed
	}
	return command.Done
}
