package perf

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// A face takes completions from a dispatcher in one of the modes.
type face interface {
	// next blocks until there are completions. They are valid until the next call.
	// Without completions and error, polling was paused.
	next() ([]rdma.Completion, error)
}

// faceBatch is how many completions are taken at a time, at most.
const faceBatch = 64

// newFace makes the face of a mode that takes from one dispatcher. While pause is set, a
// polling face does not poll; the other faces need no pause.
func newFace(cfg *config, d *event.Dispatcher[rdma.Completion], pause *atomic.Bool) face {
	switch cfg.Mode {
	case "poll":
		f := &polling{d: d, pause: pause, burst: cfg.burst()}
		f.some = f.buf[:cfg.Take]
		return f
	case "wait":
		return &waiting{d: d, most: cfg.Take}
	case "chan":
		return &channel{d: d}
	default:
		return &batches{d: d}
	}
}

type polling struct {
	d     *event.Dispatcher[rdma.Completion]
	pause *atomic.Bool
	burst int
	buf   [faceBatch]rdma.Completion
	some  []rdma.Completion // as much of buf as a poll takes
}

// burst is the number of polls between two yields: yielding after each poll would cost
// more than the poll. A yield also wakes a thread if there are processors without a
// goroutine, to search for work. If the other side is another process, that thread may
// take its processor, so yields are rare there.
func (c *config) burst() int {
	if c.processes() {
		return 1 << 13
	}
	return 256
}

func (f *polling) next() ([]rdma.Completion, error) {
	for {
		for range f.burst {
			if n := f.d.Poll(f.some); n > 0 {
				return f.some[:n], nil
			}
		}
		if err := f.d.Err(); err != nil || f.pause.Load() {
			return nil, err
		}
		runtime.Gosched()
	}
}

type waiting struct {
	d    *event.Dispatcher[rdma.Completion]
	most int
	buf  [faceBatch]rdma.Completion
}

func (f *waiting) next() ([]rdma.Completion, error) {
	// Closing the dispatcher ends the wait.
	n, err := f.d.WaitBatch(context.Background(), f.buf[:f.most])
	return f.buf[:n], err
}

// A channel starts with its first use: one that nobody receives from would still take
// what arrives.
type channel struct {
	d   *event.Dispatcher[rdma.Completion]
	c   <-chan rdma.Completion
	buf [1]rdma.Completion
}

func (f *channel) next() ([]rdma.Completion, error) {
	if f.c == nil {
		f.c = f.d.C()
	}
	c, ok := <-f.c
	if !ok {
		return nil, closed(f.d)
	}
	f.buf[0] = c
	return f.buf[:], nil
}

type batches struct {
	d    *event.Dispatcher[rdma.Completion]
	c    <-chan *event.Batch[rdma.Completion]
	last *event.Batch[rdma.Completion]
}

func (f *batches) next() ([]rdma.Completion, error) {
	if f.last != nil {
		f.last.Release()
		f.last = nil
	}
	if f.c == nil {
		f.c = f.d.Batches(event.BatchConfig{Size: faceBatch})
	}
	b, ok := <-f.c
	if !ok {
		return nil, closed(f.d)
	}
	f.last = b
	return b.Events, nil
}

// closed is why a channel was closed.
func closed(d *event.Dispatcher[rdma.Completion]) error {
	if err := d.Err(); err != nil {
		return err
	}
	return rdma.ErrClosed
}
