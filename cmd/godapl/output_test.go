package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// full is a file on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestOutputIsLost: a command whose output cannot be written fails, and says why.
func TestOutputIsLost(t *testing.T) {
	for _, args := range []string{"devices", "devices -v", "devices -json", "doctor -notest", "doctor -notest -json", "help", "help perf", "help exit-codes",
		"devices -h", "doctor -h", "figures -h", "perf -h", "ping -h", "top -h"} {
		lost(t, strings.Fields(args)...)
	}
}

// TestPingsAreLost is the same of ping, at both sides: "", and the pings themselves with -v.
func TestPingsAreLost(t *testing.T) {
	for _, verbose := range []string{"", "-v"} {
		errs, w := io.Pipe()
		server := make(chan int, 1)
		go func() {
			defer w.Close()
			server <- run(t.Context(), append([]string{"ping", "-s", "-a", "127.0.0.1", "-p", "0"}, strings.Fields(verbose)...), command.Streams{Out: full{}, Err: w})
		}()
		said := bufio.NewScanner(errs)
		if !said.Scan() {
			t.Fatal("the server says nothing")
		}
		_, port, err := net.SplitHostPort(strings.TrimPrefix(said.Text(), "ping: waiting at "))
		if err != nil {
			t.Fatal(err)
		}
		client := []string{"ping", "-c", "-a", "127.0.0.1", "-p", port, "-C", "1"}
		if verbose == "" {
			lost(t, client...)
		} else if code := run(t.Context(), client, command.Streams{Out: io.Discard, Err: io.Discard}); code != command.Failed {
			t.Errorf("the client of a server that has ended: %d", code)
		}
		var rest []byte
		for said.Scan() {
			rest = append(rest, said.Bytes()...)
		}
		if code := <-server; (code == command.Failed) != (verbose != "") || (code == command.Failed) != bytes.Contains(rest, []byte("no room")) {
			t.Errorf("ping -s %s: %d, %s", verbose, code, rest)
		}
	}
}

func lost(t *testing.T, args ...string) {
	t.Helper()
	var errs bytes.Buffer
	code := run(t.Context(), args, command.Streams{In: strings.NewReader(""), Out: full{}, Err: &errs})
	if code != command.Failed || !strings.HasSuffix(errs.String(), "no room\n") {
		t.Errorf("godapl %s: %d, %q", strings.Join(args, " "), code, errs.String())
	}
}
