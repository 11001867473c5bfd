package rdmatest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// taker takes completions of one dispatcher through one of the faces that dispatchers have.
type taker struct {
	face string
	d    *event.Dispatcher[rdma.Completion]
	set  *event.Set
	buf  [4]rdma.Completion
	have []rdma.Completion
	idle int // how often nothing was there
}

var faces = []string{"Wait", "WaitBatch", "Drain", "C", "Batches", "Set", "Poll", "Dequeue", "WaitTimeout", "WaitBatchTimeout"}

func newTaker(draw *rand.Rand, d *event.Dispatcher[rdma.Completion]) (*taker, error) {
	t := &taker{face: faces[draw.IntN(len(faces))], d: d}
	if t.face == "Set" {
		t.set = event.NewSet()
		return t, t.set.Add(d)
	}
	return t, nil
}

// next takes one completion, and waits for it.
func (t *taker) next(ctx context.Context) (c rdma.Completion, err error) {
	for len(t.have) == 0 {
		if t.have, err = t.more(ctx); err != nil {
			t.have = nil
			return c, err
		}
		t.idle = min(t.idle+1, mostIdle)
	}
	t.idle = 0
	c, t.have = t.have[0], t.have[1:]
	return c, nil
}

func (t *taker) more(ctx context.Context) ([]rdma.Completion, error) {
	switch t.face {
	case "WaitBatch":
		n, err := t.d.WaitBatch(ctx, t.buf[:])
		return t.buf[:n], err
	case "Drain":
		for batch, err := range t.d.Drain(ctx, t.buf[:]) {
			return batch, err
		}
	case "C":
		select {
		case c, ok := <-t.d.C():
			if !ok {
				return nil, rdma.ErrClosed
			}
			t.buf[0] = c
			return t.buf[:1], nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "Batches":
		select {
		case b, ok := <-t.d.Batches(event.BatchConfig{Size: 3}):
			if !ok {
				return nil, rdma.ErrClosed
			}
			n := copy(t.buf[:], b.Events)
			b.Release()
			return t.buf[:n], nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "Poll":
		if n := t.d.Poll(t.buf[:]); n > 0 {
			return t.buf[:n], nil
		}
		return nil, t.between(ctx)
	case "Dequeue":
		c, err := t.d.Dequeue()
		switch {
		case errors.Is(err, event.ErrQueueEmpty):
			return nil, t.between(ctx)
		case err != nil:
			return nil, err
		}
		t.buf[0] = c
		return t.buf[:1], nil
	case "WaitTimeout":
		c, _, err := t.d.WaitTimeout(t.every(), 1)
		if errors.Is(err, event.ErrTimeout) {
			return nil, context.Cause(ctx)
		}
		t.buf[0] = c
		return t.buf[:1], err
	case "WaitBatchTimeout":
		n, err := t.d.WaitBatchTimeout(t.every(), t.buf[:])
		if errors.Is(err, event.ErrTimeout) {
			err = context.Cause(ctx)
		}
		return t.buf[:n], err
	case "Set":
		if _, err := t.set.Wait(ctx); err != nil {
			return nil, err
		}
		return t.buf[:t.d.Poll(t.buf[:])], t.d.Err()
	}
	c, _, err := t.d.Wait(ctx, 1)
	if err != nil {
		return nil, err
	}
	t.buf[0] = c
	return t.buf[:1], nil
}

// pollEvery is how long a program that polls does something else in between.
const (
	pollEvery = 20 * time.Millisecond
	mostIdle  = 4
)

// every is how long this program does something else now: longer and longer while nothing comes, so that a world that has
// come to a stand is over soon.
func (t *taker) every() time.Duration { return pollEvery << t.idle }

// between waits until it is time to poll again. A program that polls learns from the dispatcher that it is closed.
func (t *taker) between(ctx context.Context) error {
	select {
	case <-time.After(t.every()):
		return t.d.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// rest takes what is there, and does not wait.
func (t *taker) rest() []rdma.Completion {
	t.d.StopChan()
	var all []rdma.Completion
	for c, err := t.d.Dequeue(); err == nil; c, err = t.d.Dequeue() {
		all = append(all, c)
	}
	return append(t.have, all...)
}

func (t *taker) close() {
	if t.set != nil {
		_ = t.set.Close()
	}
}
