package selftest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a test may take besides [Limit], for the end of its process.
const patience = 5 * time.Second

// Apart runs a test in a process of its own, which command makes: a program that calls [Alone],
// writes the path to its output, and says on standard error why it failed. A driver that does
// not come back from a call stops that process only. It is killed some seconds after [Limit],
// or when ctx is done.
func Apart(ctx context.Context, command func(context.Context) (*exec.Cmd, error)) (path string, err error) {
	return apart(ctx, Limit+patience, command)
}

func apart(ctx context.Context, limit time.Duration, command func(context.Context) (*exec.Cmd, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, err := command(ctx)
	if err != nil {
		return "", err
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, patience
	killed := func() error {
		return fmt.Errorf("it did not end within %v, and its process was killed: %w", limit, context.Cause(ctx))
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return "", killed() // before it began
		}
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(2 * patience): // the kernel does not let it end; nobody can wait for that
			return "", fmt.Errorf("it hangs in the kernel: its process, %d, does not end when it is killed", cmd.Process.Pid)
		}
	}
	said := strings.TrimSpace(errs.String())
	switch {
	case err == nil:
		return strings.TrimSpace(out.String()), nil
	case ctx.Err() != nil:
		return "", killed()
	case said != "":
		return "", errors.New(said)
	}
	return "", err
}
