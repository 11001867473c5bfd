package verbs_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
)

// eachDevice runs a test on every device, and skips it where there is none.
func eachDevice(t *testing.T, test func(t *testing.T, a hca.Adapter)) {
	for _, name := range devices(t) {
		t.Run(name, func(t *testing.T) {
			a, err := verbs.Driver().Open(t.Context(), name, hca.Options{ReceiveWait: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			test(t, a)
		})
	}
}

// side is a queue pair with queues and memory of its own.
type side struct {
	t      *testing.T
	qp     hca.QP
	sq, rq hca.CQ
	pd     hca.PD
	mr     hca.MR
	mem    []byte        // of mr
	bell   chan struct{} // of rq
	wcs    []hca.WC
	events chan hca.ConnEvent
}

const depth = 64

func newSide(t *testing.T, a hca.Adapter, event func(hca.ConnEvent)) *side {
	t.Helper()
	return newSideWith(t, a, event, false)
}

// newSideWith makes a side with one queue for everything. If quiet, only solicited
// receives wake it.
func newSideWith(t *testing.T, a hca.Adapter, event func(hca.ConnEvent), quiet bool) *side {
	t.Helper()
	s := &side{t: t, bell: make(chan struct{}, 1), wcs: make([]hca.WC, depth), events: make(chan hca.ConnEvent, 4)}
	s.pd = must(a.NewPD())(t)
	s.mem = make([]byte, 4096)
	s.sq = must(a.NewCQ(hca.CQConfig{Depth: depth}))(t)
	s.rq = must(a.NewCQ(hca.CQConfig{Depth: depth, Notify: func() { s.bell <- struct{}{} }}))(t)
	if quiet {
		s.sq = s.rq
	}
	s.mr = must(s.pd.Register(hca.Memory{Bytes: s.mem}, hca.LocalRead|hca.LocalWrite|hca.RemoteRead|hca.RemoteWrite))(t)
	s.qp = must(a.NewQP(hca.QPConfig{
		PD: s.pd, SendCQ: s.sq, RecvCQ: s.rq, SendDepth: depth, RecvDepth: depth, SendSGE: 1, RecvSGE: 1, ReadsOut: 1, ReadsIn: 1,
		SolicitQuiet: quiet,
		Event: func(ev hca.ConnEvent) {
			if event != nil {
				event(ev)
			}
			s.events <- ev
		},
	}))(t)
	return s
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// listen accepts one connection for s and returns the address. The channel delivers the
// result of Accept.
func (s *side) listen(a hca.Adapter) (string, <-chan error) {
	s.t.Helper()
	done := make(chan error, 1)
	l := must(a.Listen(s.t.Context(), hca.ListenConfig{
		Address: net.JoinHostPort(a.Attr().Address, "0"),
		OnRequest: func(r hca.ConnRequest) bool {
			go func() { done <- r.Accept(context.Background(), s.qp, hca.ConnParams{}) }()
			return true
		},
	}))(s.t)
	return l.Addr(), done
}

// pair connects two sides.
func pair(t *testing.T, a hca.Adapter) (x, y *side) {
	t.Helper()
	return connect(t, a, newSide(t, a, nil), newSide(t, a, nil))
}

func connect(t *testing.T, a hca.Adapter, x, y *side) (*side, *side) {
	t.Helper()
	to, accepted := y.listen(a)
	if err := x.qp.Connect(t.Context(), to, hca.ConnParams{}); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	return x, y
}

func (s *side) seg(n uint32) hca.Segment {
	return hca.Segment{Addr: s.mr.Addr(), Len: n, Key: s.mr.LKey()}
}

// write is a write into the other side's memory.
func (s *side) write(to *side) hca.SendWR {
	return hca.SendWR{Op: hca.OpWrite, Local: s.seg(8), Remote: to.mr.Addr() + 64, RKey: to.mr.RKey()}
}

// take polls until n entries have come, which must all be good, and tells how
// many calls of Poll that took.
func (s *side) take(q hca.CQ, n int) (polls int) {
	for n > 0 {
		k := q.Poll(s.wcs[:n])
		for _, wc := range s.wcs[:k] {
			if wc.Status != hca.StatusOK {
				s.t.Fatalf("%v: %v", wc.Op, wc.Status)
			}
		}
		polls++
		if n -= k; n > 0 {
			runtime.Gosched()
		}
	}
	return polls
}

func (s *side) must(err error) {
	if err != nil {
		s.t.Fatal(err)
	}
}

func isClosed(err error) bool { return errors.Is(err, hca.Closed) }
