package perf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
)

// Other work on the machine: processes that compute all the time. Goroutines of this
// process are not enough, because its scheduler would share time with the measurement.

// checkLoad refuses numbers that make no sense.
func (c *config) checkLoad() error {
	switch {
	case c.Load < 0 || c.CPUs < 0:
		return errors.New("-load and -cpus must not be negative")
	case c.CPUs > runtime.NumCPU():
		return fmt.Errorf("-cpus %d: there are %d here", c.CPUs, runtime.NumCPU())
	case c.CPUs > 0 && !restricts:
		return errors.New("-cpus needs Linux")
	}
	return nil
}

// loads are processes with busy loops.
type loads struct {
	running []*exec.Cmd
	inputs  []io.Closer
}

// startLoads starts n of them.
func startLoads(ctx context.Context, n int, errs io.Writer) (*loads, error) {
	l := new(loads)
	if n == 0 {
		return l, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for range n {
		cmd := exec.CommandContext(ctx, self, "perf", "load")
		cmd.Stderr = struct{ io.Writer }{errs} // several write to it, if anything goes wrong
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return nil, errors.Join(err, l.stop())
		}
		l.running, l.inputs = append(l.running, cmd), append(l.inputs, in)
	}
	return l, nil
}

// stop ends the processes by the end of their input, as the end of this process does.
func (l *loads) stop() (err error) {
	for i, cmd := range l.running {
		l.inputs[i].Close()
		if failed := cmd.Wait(); failed != nil {
			err = errors.Join(err, fmt.Errorf("a process of -load: %w", failed))
		}
	}
	return err
}

// beBusy is such a process.
func beBusy(in io.Reader) error {
	var over atomic.Bool
	failed := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, in)
		over.Store(true)
		failed <- err
	}()
	for !over.Load() {
	}
	return <-failed
}
