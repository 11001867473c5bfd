package command

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// A Command is a subcommand of godapl.
type Command struct {
	// Usage is the usage line without "godapl", as in "ping -s [flags]". Its first word is the
	// name.
	Usage string
	// Short is a phrase for the list of commands, Long the text of godapl help NAME. Long
	// consists of paragraphs, and describes the flags.
	Short, Long string
	// Run executes the command. Its error says what failed; see [Code] for what it does to the
	// exit code. Run returns when ctx is done.
	Run func(ctx context.Context, args []string, io Streams) error
}

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Name is the word after godapl.
func (c *Command) Name() string {
	name, _, _ := strings.Cut(c.Usage, " ")
	return name
}

// Help writes the text of godapl help NAME.
func (c *Command) Help(to io.Writer) error {
	_, err := fmt.Fprintf(to, "usage: godapl %s\n\n%s\n", c.Usage, strings.TrimSpace(c.Long))
	return err
}
