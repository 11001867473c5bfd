package perf

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// restricted runs the program again, with the same arguments, on so many processors:
// the Go runtime learns their number when it starts. The processes that it starts are on
// the same processors.
func restricted(ctx context.Context, cfg *config, args []string, out, errs io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"perf", "restricted"}, args...)...)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = 10 * time.Second
	// The end of its input shows that this side has ended.
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	// The process ends by itself then, and what it has started with it: a rival's programs, and directories of sockets.
	cmd.Cancel = in.Close
	if err := startOn(cfg.CPUs, cmd); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("on %d processors: %w", cfg.CPUs, err)
	}
	return nil
}

// whileOpen is a context that ends with the input.
func whileOpen(ctx context.Context, in io.Reader) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel(fmt.Errorf("the first process has ended"))
	}()
	return ctx
}
