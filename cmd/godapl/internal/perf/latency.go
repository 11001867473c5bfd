package perf

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// newHistogram takes nanoseconds up to an hour, with three digits.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Hour), 3)
}

// latency does one operation after the other, and records the time of each, or, with
// together above 1, the mean over so many.
func (a *active) latency(l limit, together int, h *hdrhistogram.Histogram) error {
	if a.compat != nil {
		return a.compat.latency(l, h)
	}
	n, over, stop := l.begin()
	defer stop()
	once := a.once
	switch {
	case a.cfg.watches():
		a.looking.Lock()
		defer a.looking.Unlock()
		if a.shutting.Load() {
			return rdma.ErrClosed
		}
		once = a.writeTrip
	case a.cfg.blocks():
		once = a.blockTrip
	case ops[a.cfg.Op].oneWay:
		once = a.roundTrip
	}
	for n > 0 && !over.Load() {
		k := min(int64(together), n)
		n -= k
		if err := a.again(); err != nil {
			return err
		}
		began := time.Now()
		for i := range k {
			if i > 0 {
				if err := a.again(); err != nil {
					return err
				}
			}
			if err := once(a.endpoints[a.turn()]); err != nil {
				return err
			}
		}
		if err := h.RecordValue(int64(time.Since(began)) / k); err != nil {
			return err
		}
	}
	return a.again()
}

// again posts the receive of the last answer again.
func (a *active) again() error {
	if a.used.Endpoint == nil {
		return nil
	}
	e, cookie := a.used.Endpoint, a.used.Cookie
	a.used.Endpoint = nil
	return a.receive(e, cookie)
}

// once is one operation that completes by its own answer.
func (a *active) once(e *rdma.Endpoint) error {
	if err := a.lists.post(a.cfg.Op, e, 0); err != nil {
		return err
	}
	for {
		cs, err := a.completions(a.done)
		if err != nil || len(cs) > 0 {
			return err
		}
	}
}

// roundTrip is a ping and the answer.
func (a *active) roundTrip(e *rdma.Endpoint) error {
	if err := a.ping(e, &a.far); err != nil {
		return err
	}
	for {
		cs, err := a.completions(a.came)
		if err != nil {
			return err
		}
		if len(cs) > 0 {
			a.used = cs[0]
			return nil
		}
	}
}

// ping sends a message, or writes with immediate data. If it goes well it leaves
// no completion: the answer says as much.
func (s *side) ping(e *rdma.Endpoint, far *mem.Remote) error {
	if s.cfg.Op == "send" {
		return e.PostSend(s.pingSend)
	}
	if s.pingWrite.Cookie == 0 {
		s.pingWrite = rdma.Write{From: s.own.Slice(0, s.cfg.Size), To: far.Slice(0, s.cfg.Size), Cookie: 1,
			Flags: rdma.NoCompletion | rdma.WithImmediate}
	}
	return e.PostWrite(s.pingWrite)
}
