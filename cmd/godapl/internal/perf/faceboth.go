package perf

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// both is how a server takes the completions of its two queues in one loop. With -mode
// wait there is one queue for both, since a goroutine waits for one dispatcher at a time.
func (s *side) both(pause *atomic.Bool) face {
	d := [2]*event.Dispatcher[rdma.Completion]{s.receives.Dispatcher(), s.requests.Dispatcher()}
	switch s.cfg.Mode {
	case "poll":
		return &pollingBoth{d: d, pause: pause, burst: s.cfg.burst()}
	case "chan":
		return &channelBoth{d: d}
	case "batch":
		return &batchesBoth{d: d}
	case "set":
		s.set = event.NewSet()
		return &setBoth{set: s.set, d: d}
	}
	return newFace(s.cfg, d[0], pause)
}

// pollingBoth polls one queue after the other.
type pollingBoth struct {
	d     [2]*event.Dispatcher[rdma.Completion]
	pause *atomic.Bool
	burst int
	turn  int
	buf   [faceBatch]rdma.Completion
}

func (f *pollingBoth) next() ([]rdma.Completion, error) {
	for {
		for range f.burst {
			f.turn = 1 - f.turn
			if n := f.d[f.turn].Poll(f.buf[:]); n > 0 {
				return f.buf[:n], nil
			}
		}
		if err := f.d[0].Err(); err != nil || f.pause.Load() {
			return nil, err
		}
		runtime.Gosched()
	}
}

// channelBoth selects from two channels.
type channelBoth struct {
	d   [2]*event.Dispatcher[rdma.Completion]
	buf [1]rdma.Completion
}

func (f *channelBoth) next() ([]rdma.Completion, error) {
	var ok bool
	select {
	case f.buf[0], ok = <-f.d[0].C():
	case f.buf[0], ok = <-f.d[1].C():
	}
	if !ok {
		return nil, rdma.ErrClosed
	}
	return f.buf[:], nil
}

// batchesBoth selects from two channels of batches.
type batchesBoth struct {
	d    [2]*event.Dispatcher[rdma.Completion]
	last *event.Batch[rdma.Completion]
}

func (f *batchesBoth) next() ([]rdma.Completion, error) {
	if f.last != nil {
		f.last.Release()
		f.last = nil
	}
	var ok bool
	cfg := event.BatchConfig{Size: faceBatch}
	select {
	case f.last, ok = <-f.d[0].Batches(cfg):
	case f.last, ok = <-f.d[1].Batches(cfg):
	}
	if !ok {
		return nil, rdma.ErrClosed
	}
	return f.last.Events, nil
}

// setBoth waits with a set, and polls the queue that is ready once: the other has its
// turn, too.
type setBoth struct {
	set *event.Set
	d   [2]*event.Dispatcher[rdma.Completion]
	in  bool
	buf [faceBatch]rdma.Completion
}

func (f *setBoth) next() ([]rdma.Completion, error) {
	if !f.in {
		if err := f.set.Add(f.d[0], f.d[1]); err != nil {
			return nil, err
		}
		f.in = true
	}
	for {
		// Closing the dispatchers ends the wait.
		ready, err := f.set.Wait(context.Background())
		if err != nil {
			return nil, err
		}
		for _, d := range f.d {
			if ready != event.Member(d) {
				continue
			}
			if n := d.Poll(f.buf[:]); n > 0 {
				return f.buf[:n], nil
			}
		}
	}
}
