package perf

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/godapl/godapl/compat/dat"
)

// The phases by the calls of uDAPL: as rate and latency do them.

func (d *datSide) rate(l limit) (done int64, took time.Duration, err error) {
	left, over, stop := l.begin()
	defer stop()
	free := make([]uint32, 0, d.cfg.Depth)
	for i := range d.cfg.Depth {
		free = append(free, uint32(i))
	}
	began := time.Now()
	for inFlight := 0; ; {
		if over.Load() {
			left = 0
		}
		for len(free) > 0 && left > 0 {
			if ret := d.start(free[len(free)-1]); ret != dat.Success {
				return done, 0, ret
			}
			free = free[:len(free)-1]
			left--
			inFlight++
		}
		if inFlight == 0 {
			break
		}
		if err := d.next(d.done); err != nil {
			return done, 0, err
		}
		free = append(free, uint32(d.ev.EventData.DTOCompletionEventData.UserCookie.As64))
		inFlight--
		done++
	}
	if !d.acked && ops[d.cfg.Op].oneWay {
		end := d.remote(0, 1)
		if ret := dat.EPPostRDMARead(d.ep, 1, d.iov[0], dat.Context{}, &end, 0); ret != dat.Success {
			return done, 0, ret
		}
		if err := d.next(d.done); err != nil {
			return done, 0, err
		}
	}
	return done, time.Since(began), nil
}

func (d *datSide) latency(l limit, h *hdrhistogram.Histogram) error {
	n, over, stop := l.begin()
	defer stop()
	for range n {
		began := time.Now()
		if err := d.once(); err != nil {
			return err
		}
		took := time.Since(began)
		if ops[d.cfg.Op].oneWay {
			if ret := d.receive(d.ev.EventData.DTOCompletionEventData.UserCookie.As64); ret != dat.Success {
				return ret
			}
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

// once does one operation, or a ping and its answer.
func (d *datSide) once() error {
	var ret dat.Return
	switch d.cfg.Op {
	case "send":
		ret = dat.EPPostSend(d.ep, 1, d.iov[0], dat.Context{}, dat.CompletionSuppressFlag)
	case "write":
		ret = dat.IBPostRDMAWriteImmed(d.ep, 1, d.iov[0], dat.Context{}, &d.to[0], 0, dat.CompletionSuppressFlag)
	default:
		if ret = d.start(0); ret == dat.Success {
			return d.next(d.done)
		}
	}
	if ret != dat.Success {
		return ret
	}
	return d.next(d.came)
}
