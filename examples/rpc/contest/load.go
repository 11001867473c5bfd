package contest

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// startLoads starts n processes with a busy loop each. Goroutines of this process would not do: its
// scheduler would have them make room for the calls.
func startLoads(ctx context.Context, n int, errs io.Writer) (stop func() error, err error) {
	var stops []func() error
	stop = func() (err error) {
		for _, f := range stops {
			err = errors.Join(err, f())
		}
		return err
	}
	for range n {
		_, _, one, err := startSelf(ctx, errs, "load")
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		stops = append(stops, one)
	}
	return stop, nil
}

// beBusy is such a process, until its input ends.
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
