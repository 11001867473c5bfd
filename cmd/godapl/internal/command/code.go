package command

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// Exit codes. They are part of the interface: scripts rely on them.
const (
	Done    = 0 // the command did what was asked
	Failed  = 1 // it did not; for doctor: at least one problem was found
	Misused = 2 // the command line is wrong, and nothing was done
)

// ErrSilent makes the exit code Failed without a message: the output has said it already.
var ErrSilent = errors.New("failed")

// misuse is an error in the command line.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// Misuse makes the error of a wrong command line, with the exit code Misused.
func Misuse(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// Code is the exit code for the result of a command.
func Code(err error) int {
	var m misuse
	switch {
	case err == nil, helpWanted(err):
		return Done
	case errors.As(err, &m):
		return Misused
	}
	return Failed
}

// Message is what to print for the result of a command; "" if that is nothing. An error may have text of a peer in it.
func Message(err error) string {
	if err == nil || helpWanted(err) || errors.Is(err, ErrSilent) {
		return ""
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = Plain(line)
	}
	return strings.Join(lines, "\n")
}

func helpWanted(err error) bool { return errors.Is(err, flag.ErrHelp) || errors.Is(err, pflag.ErrHelp) }

// Parse parses the flags of a command that takes no arguments. For -h it writes the help and
// returns flag.ErrHelp, or why it cannot write; other errors are of the command line.
func (c *Command) Parse(flags *flag.FlagSet, args []string, to Streams) error {
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return cmp.Or(c.Help(to.Out), err)
	case err != nil:
		return Misuse("%w; see godapl help %s", err, c.Name())
	case flags.NArg() > 0:
		return Misuse("%s takes no argument %q; see godapl help %s", c.Name(), flags.Arg(0), c.Name())
	}
	return nil
}
