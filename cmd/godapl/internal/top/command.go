package top

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// Command is godapl top.
var Command = &command.Command{
	Usage: "top [-n rows] [-sort column] [-q text] [-every time] [-once] URL",
	Short: "show the connections of a running program",
	Long: `Top shows the adapters and connections of a program that serves the page of
the package rdma/debug, and shows them again every two seconds. URL is the
address of the page; for one without a path, /debug/rdma/ is taken. It is the
first or the last argument.

	godapl top localhost:6060
	godapl top -sort -idle -q stuck http://localhost:6060/debug/rdma/

The flags are:

	-n rows
		as many connections (20)
	-sort column
		in the order of endpoint, state, path, peer, requests, receives,
		ops, bytes, waits, stalls, p99, idle or note; with - in front, the
		largest first (-bytes)
	-q text
		only connections whose peer, path, state, note or number has the text;
		if that is one, what its operations took follows, if the program has
		set OpenConfig.Latency, and the events of its flight recorder, if it
		has set OpenConfig.FlightRecorder
	-every time
		between two looks (2s); rates are of half a second at least
	-once
		look twice, half a second apart at least, so that there are rates,
		print the second, and end

Unless the output is a terminal, each look is printed below the one before.
The exit status is 0 after -once or an interrupt, 1 if the page cannot be
read, and 2 if the command line is wrong.`,
}

func init() { Command.Run = run }

// apart is the least time between two looks of which rdma/debug makes rates.
const apart = 500 * time.Millisecond

// settings are what the flags say.
type settings struct {
	page  string
	rows  int
	every time.Duration
	once  bool
}

func run(ctx context.Context, args []string, to command.Streams) error {
	s, err := parse(args, to)
	if err != nil {
		return err
	}
	clear := ""
	if !s.once && command.Terminal(to.Out) {
		clear = "\x1b[H\x1b[2J" // each look replaces the one before
	}
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for look := 0; ; look++ {
		snapshot, err := fetch(ctx, s.page)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if !s.once || look > 0 {
			var b bytes.Buffer
			b.WriteString(clear)
			write(&b, snapshot, s.rows)
			if _, err := to.Out.Write(b.Bytes()); err != nil {
				return err
			}
		}
		if s.once && look > 0 {
			return nil
		}
		if s.once {
			tick.Reset(max(s.every, apart)) // from the first answer on
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func parse(args []string, to command.Streams) (s settings, err error) {
	flags := flag.NewFlagSet("top", flag.ContinueOnError)
	flags.IntVar(&s.rows, "n", 20, "")
	sort := flags.String("sort", "-bytes", "")
	text := flags.String("q", "", "")
	flags.DurationVar(&s.every, "every", 2*time.Second, "")
	flags.BoolVar(&s.once, "once", false, "")
	rest, address := args, ""
	switch n := len(args); {
	case n > 0 && !strings.HasPrefix(args[0], "-"): // in front of the flags is a natural place, too
		rest, address = args[1:], args[0]
	case n > 0 && !strings.HasPrefix(args[n-1], "-"):
		rest, address = args[:n-1], args[n-1]
	}
	if err := Command.Parse(flags, rest, to); err != nil {
		return s, err
	}
	if s.rows < 1 || s.every <= 0 {
		return s, command.Misuse("-n %d and -every %v must be more than 0", s.rows, s.every)
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return s, command.Misuse("the first or the last argument is the URL of the page, such as localhost:6060; see godapl help top")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/debug/rdma/"
	}
	q := url.Values{"format": {"json"}, "sort": {*sort}}
	if *text != "" {
		q.Set("q", *text)
	}
	u.RawQuery = q.Encode()
	s.page = u.String()
	return s, nil
}

// problem is what an answer that is no page says.
func problem(page, status string, body []byte) error {
	return fmt.Errorf("%s: %s: %q: does the program import rdma/debug, and serve it there?", page, status, firstLine(body))
}

// firstLine is the beginning of a text that anybody may have written.
func firstLine(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	return command.Plain(line[:min(len(line), 200)])
}
