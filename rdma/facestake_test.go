package rdma_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// faceStep is what a turn of a reader says about the next one.
type faceStep int

const (
	faceMore   faceStep = iota
	faceOver            // the queue is over, or the quota is used up
	faceClosed          // the dispatcher is closed, or the row ends
)

// faceReader reads a queue by one face.
type faceReader struct {
	*faceRun
	q    *faceQueue
	d    *event.Dispatcher[rdma.Completion]
	r    *rand.Rand
	with string // the face
	buf  [16]rdma.Completion
	dst  []rdma.Completion // a part of buf
}

// faceTurns has a turn of each of queueFaces.
var faceTurns = map[string]func(*faceReader) faceStep{
	"poll":        (*faceReader).poll,
	"wait":        (*faceReader).wait,
	"waitburst":   (*faceReader).wait,
	"waittimeout": (*faceReader).wait,
	"batch":       (*faceReader).batch,
	"batchburst":  (*faceReader).batch,
	"cancel":      (*faceReader).batch,
	"drain":       (*faceReader).drain,
	"c":           (*faceReader).channel,
	"restart":     (*faceReader).channel,
	"batches":     (*faceReader).batches,
}

// consume runs a face until the queue is over, or the quota used up. It returns false if the dispatcher is closed.
func (h *faceRun) consume(q *faceQueue, face string, r *rand.Rand) bool {
	f := &faceReader{faceRun: h, q: q, d: q.d, r: r, with: face}
	f.dst = f.buf[:1+r.IntN(16)]
	if face == "waitburst" || face == "batchburst" {
		event.ProviderOf(f.d).SetBurst(-1)
	} else if r.IntN(2) == 0 {
		event.ProviderOf(f.d).SetBurst(0)
	}
	if h.isOver(q) {
		return true
	}
	for turn := faceTurns[face]; ; {
		f.dally()
		if step := turn(f); step != faceMore {
			return step == faceOver
		}
	}
}

// ends is whether a wait that failed so was the last one.
func (f *faceReader) ends(err error) bool {
	if errors.Is(err, rdma.ErrClosed) {
		return true
	}
	if !errors.Is(err, rdma.ErrTimeout) && !errors.Is(err, rdma.ErrCanceled) {
		f.fail("%s: %v", f.with, err)
		return true
	}
	return f.ctx.Err() != nil
}

// again is the step behind a wait that failed.
func (f *faceReader) again(err error) faceStep {
	if f.ends(err) {
		return faceClosed
	}
	return faceMore
}

// last is the step behind an end of a face that cannot be used again.
func (f *faceReader) last(err error) faceStep {
	if f.ends(err) {
		return faceClosed
	}
	return faceOver
}

// took accounts for what a turn has read.
func (f *faceReader) took(list []rdma.Completion) faceStep {
	if f.take(f.q, list) {
		return faceOver
	}
	return faceMore
}

// dally makes the reader slow now and then.
func (f *faceReader) dally() {
	switch f.r.IntN(40) {
	case 0:
		f.pause(f.r, 1500)
	case 1, 2:
		runtime.Gosched()
	}
}

func (f *faceReader) poll() faceStep {
	if n := f.d.Poll(f.dst); n > 0 {
		return f.took(f.dst[:n])
	}
	if err := f.d.Err(); err != nil {
		return f.last(err)
	}
	if f.ctx.Err() != nil {
		return faceClosed
	}
	runtime.Gosched()
	return faceMore
}

func (f *faceReader) wait() faceStep {
	var err error
	if f.with == "waittimeout" {
		f.buf[0], _, err = f.d.WaitTimeout(time.Duration(f.r.IntN(800))*time.Microsecond, 1)
	} else {
		f.buf[0], _, err = f.d.Wait(f.ctx, 1)
	}
	if err != nil {
		return f.again(err)
	}
	return f.took(f.buf[:1])
}

func (f *faceReader) batch() faceStep {
	ctx, cancel := f.ctx, func() {}
	if f.with == "cancel" {
		ctx, cancel = f.canceled()
	}
	n, err := f.d.WaitBatch(ctx, f.dst)
	cancel()
	if err != nil {
		return f.again(err)
	}
	return f.took(f.dst[:n])
}

// canceled returns a context that mostly ends by itself within a millisecond.
func (f *faceReader) canceled() (context.Context, func()) {
	ctx, cancel := context.WithCancel(f.ctx)
	if f.r.IntN(3) == 0 {
		return ctx, cancel
	}
	timer := time.AfterFunc(time.Duration(f.r.IntN(1000))*time.Microsecond, cancel)
	return ctx, func() {
		timer.Stop()
		cancel()
	}
}

func (f *faceReader) drain() faceStep {
	for list, err := range f.d.Drain(f.ctx, f.dst) {
		if err != nil {
			return f.last(err)
		}
		if f.take(f.q, list) {
			return faceOver
		}
		f.dally()
	}
	return faceMore
}

// closedChannel is the step behind a closed channel.
func (f *faceReader) closedChannel() faceStep {
	err := f.d.Err()
	if err == nil {
		f.fail("the channel is closed without an error")
		return faceClosed
	}
	return f.last(err)
}

// channel reads from C; "restart" stops the channel after a few completions.
func (f *faceReader) channel() faceStep {
	ch := f.d.C()
	for k := 0; f.with == "c" || k < 3; k++ {
		var ok bool
		select {
		case f.buf[0], ok = <-ch:
		case <-f.ctx.Done():
			f.d.StopChan()
			return faceClosed
		}
		if !ok {
			return f.closedChannel()
		}
		if f.take(f.q, f.buf[:1]) {
			f.d.StopChan()
			return faceOver
		}
		f.dally()
		if f.with == "restart" && f.r.IntN(4) == 0 {
			break
		}
	}
	f.d.StopChan()
	return faceMore
}

func (f *faceReader) batches() faceStep {
	cfg := event.BatchConfig{Size: f.r.IntN(10)}
	if f.r.IntN(2) == 0 {
		cfg.Threshold, cfg.Within = 1+f.r.IntN(6), time.Duration(200+f.r.IntN(1000))*time.Microsecond
	}
	ch := f.d.Batches(cfg)
	for {
		var b *event.Batch[rdma.Completion]
		var ok bool
		select {
		case b, ok = <-ch:
		case <-f.ctx.Done():
			f.d.StopChan()
			return faceClosed
		}
		if !ok {
			return f.closedChannel()
		}
		stop := f.take(f.q, b.Events)
		if f.r.IntN(8) > 0 { // a batch that is not released costs memory only
			b.Release()
		}
		if stop {
			f.d.StopChan()
			return faceOver
		}
		f.dally()
	}
}
