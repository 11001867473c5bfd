package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A starter gets an owner for a file going, who connects to address. It returns
// a description for people, and what waits for the owner's end. The owner has to
// end with the context.
type starter func(ctx context.Context, name, address, file string) (where string, wait func() error, err error)

// owner is one that was started.
type owner struct {
	where string
	stop  context.CancelCauseFunc
	ended chan error
}

// start starts an owner, and derives a context that ends when the owner fails.
func (s starter) start(ctx context.Context, name, address, file string) (*owner, context.Context, error) {
	ctx, stop := context.WithCancelCause(ctx)
	where, wait, err := s(ctx, name, address, file)
	if err != nil {
		stop(err)
		return nil, nil, err
	}
	o := &owner{where: where, stop: stop, ended: make(chan error, 1)}
	go func() {
		err := wait()
		if err != nil {
			stop(err)
		}
		o.ended <- err
	}()
	return o, ctx, nil
}

// end waits for the owner, whom it stops if there was an error. The error it
// returns is of both.
func (o *owner) end(err error) error {
	if err != nil {
		o.stop(err)
	}
	ownerErr := <-o.ended
	o.stop(nil)
	if ownerErr == nil || errors.Is(err, ownerErr) {
		return err
	}
	return errors.Join(err, ownerErr)
}

// startHere runs the owner on a goroutine.
func startHere(ctx context.Context, name, address, file string) (where string, wait func() error, err error) {
	ended := make(chan error, 1)
	go func() { ended <- own(ctx, name, address, file) }()
	return "both sides in one process", func() error {
		if err := <-ended; err != nil {
			return fmt.Errorf("the owner: %w", err)
		}
		return nil
	}, nil
}

// startProcess runs this program once more. Its errors go to errs; it is killed
// when the context ends.
func startProcess(errs io.Writer) starter {
	return func(ctx context.Context, name, address, file string) (string, func() error, error) {
		self, err := os.Executable()
		if err != nil {
			return "", nil, err
		}
		return startCommand(exec.CommandContext(ctx, self, "owner", name, address, file), errs)
	}
}

func startCommand(cmd *exec.Cmd, errs io.Writer) (where string, wait func() error, err error) {
	cmd.Stderr = errs
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	pid := cmd.Process.Pid
	return fmt.Sprintf("from process %d to process %d", pid, os.Getpid()), func() error {
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("the owner, process %d: %w", pid, err)
		}
		return nil
	}, nil
}

// waitElsewhere starts nobody: the owner is a quickstart -connect on this or
// another host.
func waitElsewhere(out io.Writer, address string) starter {
	return func(context.Context, string, string, string) (string, func() error, error) {
		fmt.Fprintf(out, "waiting    for quickstart -connect %s FILE\n", address)
		return "from another host", func() error { return nil }, nil
	}
}
