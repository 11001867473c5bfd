package main

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// newHistogram takes nanoseconds up to a minute, with three digits.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Minute), 3)
}

// latency does one operation after the other, and records what each took.
func (a *active) latency(l limit, h *hdrhistogram.Histogram) error {
	if a.dat != nil {
		return a.dat.latency(l, h)
	}
	n, over, stop := l.begin()
	defer stop()
	once := a.once
	if ops[a.cfg.Op].oneWay {
		once = a.roundTrip
	}
	for range n {
		took, err := once(a.endpoints[a.turn()])
		if err != nil {
			return err
		}
		if err := h.RecordValue(int64(took)); err != nil {
			return err
		}
		if over.Load() {
			break
		}
	}
	return nil
}

// once takes the time of one operation that answers by itself.
func (a *active) once(e *rdma.Endpoint) (time.Duration, error) {
	began := time.Now()
	if err := a.lists.post(a.cfg.Op, e, 0); err != nil {
		return 0, err
	}
	for {
		cs, err := a.completions(a.done)
		if err != nil || len(cs) > 0 {
			return time.Since(began), err
		}
	}
}

// roundTrip takes the time of a ping and the answer.
func (a *active) roundTrip(e *rdma.Endpoint) (time.Duration, error) {
	began := time.Now()
	if err := a.ping(e, &a.far); err != nil {
		return 0, err
	}
	for {
		cs, err := a.completions(a.came)
		if err != nil {
			return 0, err
		}
		if len(cs) > 0 {
			took := time.Since(began)
			return took, a.receive(cs[0].Endpoint, cs[0].Cookie)
		}
	}
}

// ping sends a message, or writes with immediate data. If it goes well it leaves
// no completion: the answer says as much.
func (s *side) ping(e *rdma.Endpoint, far *mem.Remote) error {
	from := s.own.Slice(0, s.cfg.Size)
	if s.cfg.Op == "send" {
		return e.PostSend(rdma.Send{From: from, Flags: rdma.Suppress})
	}
	return e.PostWrite(rdma.Write{From: from, To: far.Slice(0, s.cfg.Size), Flags: rdma.Suppress | rdma.WithImmediate})
}
