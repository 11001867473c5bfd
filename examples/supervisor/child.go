package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// errDone is the cause of a process that has ended well.
var errDone = errors.New("done")

// errAlone ends a child: nobody would start the ledger again for which its clients wait.
var errAlone = errors.New("the supervisor is gone")

// child is a process, as an actor.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	once   sync.Once
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

// start starts a process of this program. What it prints goes to line.
func start(ctx context.Context, errs io.Writer, line func(string), args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self, args...), ended: make(chan struct{})}
	c.cmd.Stderr = struct{ io.Writer }{errs}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			line(lines.Text())
		}
		err := c.cmd.Wait()
		if err == nil {
			err = errDone
		}
		c.cancel(err)
	}()
	return c, nil
}

// Context ends with the process. Its cause is errDone or how the process has failed.
func (c *child) Context() context.Context { return c.ctx }

// tell asks the process to end, with a word at its input. The input itself ends with the supervisor, however that was
// killed.
func (c *child) tell() { c.once.Do(func() { _, _ = io.WriteString(c.in, "end\n") }) }

// Close kills the process if it runs, and waits for its end.
func (c *child) Close() error {
	c.cancel(rdma.ErrClosed) // without effect if it has ended
	_ = c.cmd.Process.Kill()
	<-c.ended // which has closed its input, too
	return nil
}

// wait is work for keep that does nothing but wait for the end.
func wait(_ context.Context, c *child) error {
	<-c.ctx.Done()
	if err := context.Cause(c.ctx); err != errDone {
		return err
	}
	return nil
}

// runChild is the life of such a process: "ledger" ADAPTER DIR, or "client" ADAPTER DIR NUMBER.
func runChild(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) < 3 || (args[0] == "client") != (len(args) == 4) {
		return fmt.Errorf("%d arguments for a %s", len(args)-1, args[0])
	}
	adapter, err := rdma.Open(ctx, args[1], rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	ctx, alone := context.WithCancelCause(ctx)
	told, cancel := context.WithCancel(ctx)
	go func() { // until the process ends
		if n, _ := in.Read(make([]byte, 1)); n > 0 {
			cancel()
		}
		_, _ = io.Copy(io.Discard, in)
		alone(errAlone)
	}()
	if args[0] == "ledger" {
		return runLedger(told, adapter, args[2], out)
	}
	number, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil {
		return err
	}
	return runClient(ctx, adapter, args[2], number, told, out)
}
