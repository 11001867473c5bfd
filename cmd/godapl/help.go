package main

import (
	"fmt"
	"io"
)

// usage writes the text of godapl help.
func usage(to io.Writer) {
	fmt.Fprint(to, "Godapl looks at RDMA on this host, tries it, and measures it.\n\nUsage:\n\n\tgodapl <command> [arguments]\n\nThe commands are:\n\n")
	for _, c := range commands {
		fmt.Fprintf(to, "\t%-11s %s\n", c.Name(), c.Short)
	}
	fmt.Fprint(to, "\nStart with \"godapl doctor\": it says what works here, and what keeps the rest from working.\nUse \"godapl help <command>\" for more information about a command.\n\nAdditional help topics:\n\n")
	fmt.Fprintf(to, "\t%-11s %s\n", "exit-codes", "what the exit status means")
	fmt.Fprint(to, "\nUse \"godapl help <topic>\" for more information about that topic.\n")
}

const exitCodes = `The exit status of all commands:

	0	The command did what was asked. For doctor: no problem was found;
		there may be warnings and notes.
	1	It failed, and standard error says why. For doctor:
		at least one problem was found; a self-test that fails is one. For
		devices: an adapter could not be opened. Then the output says which.
	2	The command line is wrong. Nothing was done.

A command that is interrupted while it waits ends with status 0 if it had no
end of its own (ping without -C, ping -s -P, doctor -serve, top), otherwise
with 1.
A second interrupt ends a command at once.
`
