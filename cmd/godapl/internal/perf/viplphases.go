package perf

import (
	"fmt"
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/godapl/godapl/compat/vipl"
)

// The phases by the calls of VIPL: as rate and latency do them. Descriptors complete in the
// order of their posts, so the places are used in turn.

func (v *viplSide) rate(l limit) (done int64, took time.Duration, err error) {
	left, over, stop := l.begin()
	defer stop()
	next := 0
	began := time.Now()
	for inFlight := 0; ; {
		if over.Load() {
			left = 0
		}
		for inFlight < len(v.posts) && left > 0 && !v.short() {
			if ret := v.post(v.posts[next]); ret != vipl.Success {
				return done, 0, ret
			}
			if next++; next == len(v.posts) {
				next = 0
			}
			left--
			inFlight++
			if v.credits != nil {
				v.credits.sent++
			}
		}
		if inFlight == 0 {
			if left == 0 {
				break
			}
			if err := v.credit(); err != nil {
				return done, 0, err
			}
			continue
		}
		if _, err := v.sent(); err != nil {
			return done, 0, err
		}
		inFlight--
		done++
	}
	if !v.acked && ops[v.cfg.Op].oneWay {
		if ret := v.post(v.flush); ret != vipl.Success {
			return done, 0, ret
		}
		if _, err := v.sent(); err != nil {
			return done, 0, err
		}
	}
	for v.credits != nil && v.credits.due(v.cfg) {
		if err := v.credit(); err != nil {
			return done, 0, err
		}
	}
	return done, time.Since(began), nil
}

// short reports whether another message might find no receive.
func (v *viplSide) short() bool { return v.credits != nil && v.credits.short(v.cfg, 1) }

// credit waits for a credit.
func (v *viplSide) credit() error {
	d, err := v.came()
	if err != nil {
		return err
	}
	v.credits.back++
	return v.receive(d).Err()
}

func (v *viplSide) latency(l limit, h *hdrhistogram.Histogram) error {
	n, over, stop := l.begin()
	defer stop()
	answer := v.sent // of a read
	if ops[v.cfg.Op].oneWay {
		answer = v.came
	}
	for range n {
		began := time.Now()
		if ret := v.post(v.pings); ret != vipl.Success {
			return ret
		}
		d, err := answer()
		if err != nil {
			return err
		}
		took := time.Since(began)
		if ops[v.cfg.Op].oneWay {
			if ret := v.receive(d); ret != vipl.Success {
				return ret
			}
			if _, err := v.sent(); err != nil { // VIPL knows no post without a completion
				return err
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

// sent takes the oldest descriptor of the send queue.
func (v *viplSide) sent() (d *vipl.Descriptor, err error) {
	if v.waits {
		ret := vipl.SendWait(v.vi, vipl.Infinite, &d)
		return d, viplGood(ret, d)
	}
	for {
		for range v.burst {
			if ret := vipl.SendDone(v.vi, &d); ret != vipl.NotDone {
				return d, viplGood(ret, d)
			}
		}
		runtime.Gosched()
	}
}

// came takes the oldest descriptor of the receive queue.
func (v *viplSide) came() (d *vipl.Descriptor, err error) {
	if v.waits {
		ret := vipl.RecvWait(v.vi, vipl.Infinite, &d)
		return d, viplGood(ret, d)
	}
	for {
		for range v.burst {
			if ret := vipl.RecvDone(v.vi, &d); ret != vipl.NotDone {
				return d, viplGood(ret, d)
			}
		}
		runtime.Gosched()
	}
}

// viplGood is nil if an operation succeeded.
func viplGood(ret vipl.Return, d *vipl.Descriptor) error {
	switch {
	case ret == vipl.Success:
		return nil
	case ret == vipl.DescriptorError:
		return fmt.Errorf("an operation ended with the status %#x", d.CS.Status)
	}
	return ret
}
