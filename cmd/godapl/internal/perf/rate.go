package perf

import (
	"errors"
	"time"

	"github.com/godapl/godapl/rdma"
)

// rate keeps depth operations in flight, and returns the number of operations and the
// time. After messages it waits until the other side has taken them all: it would
// answer the rest in the next phase.
func (a *active) rate(l limit) (done int64, took time.Duration, err error) {
	switch {
	case a.compat != nil:
		done, took, err = a.compat.rate(l)
	case a.cfg.blocks():
		done, took, err = a.blockRate(l)
	default:
		done, took, err = a.keepInFlight(l)
	}
	if err == nil && a.cfg.Op == "send" {
		a.streamed += done
		_, err = a.peer.do(command{Do: "taken", Messages: a.streamed})
	}
	return done, max(took, 1), err // a coarse clock may measure nothing
}

func (a *active) keepInFlight(l limit) (done int64, took time.Duration, err error) {
	left, over, stop := l.begin()
	defer stop()
	began := time.Now()
	for inFlight := 0; ; {
		if over.Load() {
			left = 0
		}
		k, err := a.postAll(left)
		if err != nil {
			return done, 0, err
		}
		left -= int64(k)
		inFlight += k
		if inFlight == 0 {
			if left == 0 || a.credits == nil {
				break
			}
			if err := a.credit(); err != nil {
				return done, 0, err
			}
			continue
		}
		cs, err := a.completions(a.done)
		if err != nil {
			return done, 0, err
		}
		for i := range cs {
			a.free = append(a.free, uint32(cs[i].Cookie))
		}
		inFlight -= len(cs)
		done += int64(len(cs))
	}
	if err := a.settle(); err != nil {
		return done, 0, err
	}
	if err := a.creditAll(); err != nil {
		return done, 0, err
	}
	return done, time.Since(began), nil
}

// postAll posts as long as there are places, and tells how many operations.
func (a *active) postAll(left int64) (posted int, err error) {
	for len(a.free) > 0 && left > 0 {
		n := min(a.cfg.List, int(min(left, int64(a.cfg.Depth))))
		if len(a.free) < n {
			break // the doorbell is for a full list
		}
		i := a.turn()
		if a.short(i, n) {
			return posted, nil
		}
		if n == 1 {
			err = a.lists.post(a.cfg.Op, a.endpoints[i], a.free[len(a.free)-1])
			if err == nil {
				a.free = a.free[:len(a.free)-1]
			}
		} else {
			n, err = a.postList(i, n)
		}
		if err != nil {
			if errors.Is(err, rdma.ErrQueueFull) && len(a.free) < a.cfg.Depth {
				return posted, nil // one endpoint is slower than the others
			}
			return posted, err
		}
		a.sent(i, n)
		left -= int64(n)
		posted += n
	}
	return posted, nil
}

// postList posts n operations with one doorbell.
func (a *active) postList(endpoint, n int) (posted int, err error) {
	b := a.batches[endpoint]
	for i := range n {
		if err := a.lists.collect(a.cfg.Op, b, a.free[len(a.free)-1-i]); err != nil {
			return 0, err
		}
	}
	posted, err = b.Post()
	b.Reset()
	a.free = a.free[:len(a.free)-posted]
	return posted, err
}

// settle waits until all sent or written data has arrived, by a read after it, where
// completions do not prove that.
func (a *active) settle() error {
	if a.acked || !ops[a.cfg.Op].oneWay {
		return nil
	}
	for i, e := range a.endpoints {
		if err := e.PostRead(rdma.Read{Into: a.flushed.Slice(i, 1), From: a.far.Slice(0, 1)}); err != nil {
			return err
		}
	}
	for n := 0; n < len(a.endpoints); {
		cs, err := a.completions(a.done)
		if err != nil {
			return err
		}
		n += len(cs)
	}
	return nil
}
