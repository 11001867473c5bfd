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

// A starter starts the owner of a file. The owner connects to address and ends when the
// context ends. The starter returns a description of where the owner runs, and a function that
// waits for the owner's end.
type starter func(ctx context.Context, name, address, file string) (where string, wait func() error, err error)

// owner is a started owner.
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

// end waits for the owner. If err is not nil, it stops the owner first. The error that it
// returns is that of the reader and the owner together.
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

// startProcess runs the owner in a second process of this program. The process writes errors to
// errs, and is killed when the context ends.
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

// waitElsewhere starts no owner: the user starts it, as quickstart -connect, on this or another
// host.
func waitElsewhere(out io.Writer) starter {
	return func(_ context.Context, _, address, _ string) (string, func() error, error) {
		fmt.Fprintf(out, "waiting    for quickstart -connect %s FILE\n", address)
		return "from another host", func() error { return nil }, nil
	}
}
