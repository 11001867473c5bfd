package fakeibv_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// rxe is the vendor of Linux's software device, which reports requests long after the answers to them.
const rxe = 0xFFFFFF

// TestAnAnswerAheadOfItsAcknowledgement: one request is in flight, but the device has reported none of two. The next
// post waits for the report.
func TestAnAnswerAheadOfItsAcknowledgement(t *testing.T) {
	const rounds, depth = 30, 2
	full := 0
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, fakeibv.Config{Seed: seed, Stepped: true, Vendor: rxe}, hca.Options{})
			sends := make([]hca.CQ, 2)
			var ends [2]*end
			for i := range ends {
				sends[i] = made(r.a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() {}}))(r)
				ends[i] = r.newEnd(func(cfg *hca.QPConfig) { cfg.SendCQ, cfg.SendDepth = sends[i], depth })
				r.must(ends[i].qp.PostRecv(hca.RecvWR{Local: ends[i].seg(8)}))
			}
			r.connect(ends[0], ends[1])
			wcs := make([]hca.WC, 1)
			for round := range rounds {
				for i, e := range ends {
					halt := func() {}
					if n, _ := e.qp.Outstanding(); n == depth { // the device has not reported any
						full++
						halt = r.stepping()
					}
					err := e.qp.PostSend(hca.SendWR{ID: uint64(round), Op: hca.OpSend, Local: e.seg(8)})
					halt()
					r.must(err)
					to := ends[1-i]
					r.until(func() bool { return to.cq.Poll(wcs) > 0 })
					r.must(to.qp.PostRecv(hca.RecvWR{Local: to.seg(8)}))
				}
			}
			r.steps()
			for i := range ends {
				for round := range uint64(rounds) {
					if sends[i].Poll(wcs) != 1 || wcs[0].ID != round || wcs[0].Status != hca.StatusOK {
						t.Fatalf("seed %d, side %d: completion %d is %+v", seed, i, round, wcs[0])
					}
				}
				if sends[i].Poll(wcs) != 0 {
					t.Errorf("seed %d: one completion more", seed)
				}
			}
		})
	}
	if full == 0 {
		t.Error("no report was late")
	}
}

// stepping takes steps on another goroutine until the result is called.
func (r *rig) stepping() (halt func()) {
	var over atomic.Bool
	halted := make(chan struct{})
	go func() {
		defer close(halted)
		for ; !over.Load(); runtime.Gosched() {
			r.w.Step()
		}
	}()
	return func() {
		over.Store(true)
		<-halted
	}
}

// TestNoReportComes: the peer has sent something, but takes no messages. Posts are refused, and the requests that were
// accepted complete when it does.
func TestNoReportComes(t *testing.T) {
	r := newRig(t, fakeibv.Config{Vendor: rxe}, hca.Options{})
	x := r.newEnd(func(cfg *hca.QPConfig) { cfg.SendDepth = 2 })
	y := r.newEnd(nil)
	r.must(x.qp.PostRecv(hca.RecvWR{ID: 9, Local: x.seg(8)}))
	r.connect(x, y)
	for i := range uint64(2) {
		r.must(x.qp.PostSend(hca.SendWR{ID: i, Op: hca.OpSend, Local: x.seg(8)}))
	}
	r.must(y.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: y.seg(8)}))
	if wc := x.take(); wc.ID != 9 {
		t.Fatalf("%+v", wc)
	}
	for range 20 { // only the first one waits
		if err := x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}); !errors.Is(err, hca.QueueFull) {
			t.Fatal(err)
		}
	}
	for i := range uint64(2) {
		r.must(y.qp.PostRecv(hca.RecvWR{Local: y.seg(8)}))
		if wc := x.take(); wc.ID != i || wc.Status != hca.StatusOK {
			t.Errorf("%+v", wc)
		}
	}
}
