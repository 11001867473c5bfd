package contest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// server is where a contender's calls are answered.
type server struct {
	address string
	usage   func() (int64, error) // nanoseconds of processor time so far
	stop    func() error
}

// start starts the server of a contender: as a second process of this program, unless it is inside.
func start(ctx context.Context, c Contender, size int, errs io.Writer) (*server, error) {
	if c.Inside {
		address, stop, err := c.Serve(ctx, size)
		return &server{address, func() (int64, error) { return 0, nil }, func() error { stop(); return nil }}, err
	}
	in, lines, stop, err := startSelf(ctx, errs, "serve", c.Name, strconv.Itoa(size))
	if err != nil {
		return nil, err
	}
	if !lines.Scan() {
		return nil, fmt.Errorf("the server of %s does not start: %w", c.Name, stop())
	}
	return &server{address: lines.Text(), stop: stop, usage: func() (int64, error) {
		fmt.Fprintln(in)
		if !lines.Scan() {
			return 0, fmt.Errorf("the server of %s is gone", c.Name)
		}
		return strconv.ParseInt(lines.Text(), 10, 64)
	}}, nil
}

// startSelf starts a process of this program. It ends with its input, as it does when this process
// ends; stop waits for that.
func startSelf(ctx context.Context, errs io.Writer, args ...string) (io.Writer, *bufio.Scanner, func() error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = struct{ io.Writer }{errs}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, nil, err
	}
	return in, bufio.NewScanner(out), func() error {
		in.Close()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("process %s: %w", strings.Join(args, " "), err)
		}
		return nil
	}, nil
}

// serve is the process of a server: it tells the address, and for each line of its input the
// processor time so far.
func serve(ctx context.Context, all []Contender, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("serve: %d arguments, not a contender and a size", len(args))
	}
	chosen, err := choose(all, args[0])
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	address, stop, err := chosen[0].Serve(ctx, size)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintln(out, address)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fmt.Fprintln(out, processorTime())
	}
	return lines.Err()
}
