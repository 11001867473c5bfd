package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
)

// toy is an actor that ends when it is told to.
type toy struct {
	ctx context.Context
	end context.CancelCauseFunc
}

func newToy() toy {
	ctx, end := context.WithCancelCause(context.Background())
	return toy{ctx, end}
}

func (a toy) Context() context.Context { return a.ctx }
func (a toy) Close() error             { a.end(rdma.ErrClosed); return nil }

var errGone, errWork = errors.New("gone"), errors.New("bad work")

// TestKeepPauses: the pauses grow up to the longest, and begin anew when an actor was well for longer.
func TestKeepPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := backoff{10 * time.Second, 60 * time.Second}
		ctx, cancel := context.WithCancelCause(t.Context())
		last, pauses := time.Now(), []time.Duration(nil)
		dial := func(context.Context) (toy, error) {
			pauses = append(pauses, time.Since(last))
			a := newToy()
			switch n := len(pauses); {
			case n == 6:
				time.AfterFunc(61*time.Second, func() { a.end(errGone) })
			case n == 8:
				cancel(errWork)
				fallthrough
			case n%2 == 0:
				a.end(errGone)
			default:
				last = time.Now()
				return a, errGone
			}
			return a, nil
		}
		work := func(ctx context.Context, _ toy) error {
			<-ctx.Done()
			last = time.Now()
			return context.Cause(ctx)
		}
		if err := keep(ctx, b, dial, work); err != errWork {
			t.Errorf("%v, want what has ended the context", err)
		}
		for i, most := range []time.Duration{0, 10, 20, 40, 60, 60, 10, 20} {
			if most *= time.Second; pauses[i] < most/2 || pauses[i] > most {
				t.Errorf("pause %d is %v, want from %v to %v", i, pauses[i], most/2, most)
			}
		}
	})
}

// TestKeepEnds: it ends with the work that succeeds, and with work that fails by itself.
func TestKeepEnds(t *testing.T) {
	for _, want := range []error{nil, errWork} {
		var a toy
		err := keep(t.Context(), backoff{}, func(context.Context) (toy, error) { a = newToy(); return a, nil },
			func(context.Context, toy) error { return want })
		if err != want || a.ctx.Err() == nil {
			t.Errorf("%v, want %v and the end of the actor", err, want)
		}
	}
}

// TestMonitor: it tells why, and nothing when it has been stopped.
func TestMonitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newToy(), newToy()
		told := make(chan error, 2)
		monitor(a.ctx, func(cause error) { told <- cause })
		stop := monitor(b.ctx, func(cause error) { told <- cause })
		stop()
		a.end(errGone)
		b.end(errWork)
		synctest.Wait()
		if len(told) != 1 || <-told != errGone {
			t.Error("not told once, and why")
		}
	})
}
