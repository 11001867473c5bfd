package fakeibv_test

import (
	"context"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// rig is an adapter on a world, with a domain.
type rig struct {
	*testing.T
	w       *fakeibv.World
	stepped bool // in a bubble
	a       hca.Adapter
	pd      hca.PD
}

func newRig(t *testing.T, cfg fakeibv.Config, opt hca.Options) *rig {
	t.Helper()
	w := fakeibv.New(cfg)
	t.Cleanup(func() {
		if f := w.Faults(); len(f) > 0 {
			t.Errorf("wrong calls: %q", f)
		}
		w.Close()
	})
	r := &rig{T: t, w: w, stepped: cfg.Stepped}
	r.a = made(verbs.Simulated(w.Lib(), w.Names(), w.Addrs()).Open(context.Background(), w.Names()[0], opt))(r)
	t.Cleanup(func() { r.a.Close() })
	r.pd = made(r.a.NewPD())(r)
	return r
}

func made[T any](v T, err error) func(*rig) T {
	return func(r *rig) T {
		r.Helper()
		r.must(err)
		return v
	}
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// end is one end of a connection.
type end struct {
	r      *rig
	qp     hca.QP
	cq     hca.CQ
	mem    []byte
	mr     hca.MR
	events chan hca.ConnEvent
}

// newEnd makes an end. change may change how its queue pair is made.
func (r *rig) newEnd(change func(*hca.QPConfig)) *end {
	r.Helper()
	e := &end{r: r, mem: make([]byte, 4096), events: make(chan hca.ConnEvent, 8)}
	e.cq = made(r.a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() {}}))(r)
	e.mr = made(r.pd.Register(hca.Memory{Bytes: e.mem}, hca.AllAccess))(r)
	cfg := hca.QPConfig{
		PD: r.pd, SendCQ: e.cq, RecvCQ: e.cq, SendDepth: 16, RecvDepth: 16, SendSGE: 1, RecvSGE: 1, ReadsOut: 1, ReadsIn: 1,
		Event: func(ev hca.ConnEvent) { e.events <- ev },
	}
	if change != nil {
		change(&cfg)
	}
	e.qp = made(r.a.NewQP(cfg))(r)
	return e
}

// until takes steps until a condition holds. In a world that is not stepped it does nothing.
func (r *rig) until(holds func() bool) {
	r.Helper()
	for r.stepped && !holds() {
		if !r.w.Step() {
			<-time.After(time.Millisecond)
		}
		synctest.Wait()
	}
}

// steps takes all steps that there are.
func (r *rig) steps() {
	for more := true; more; synctest.Wait() {
		more = r.w.Step()
	}
}

// request begins to connect an end, and returns the peer's request. The channel delivers the
// result.
func (r *rig) request(x *end) (hca.ConnRequest, <-chan error) {
	r.Helper()
	asked, done := make(chan hca.ConnRequest, 1), make(chan error, 1)
	l := made(r.a.Listen(r.Context(), hca.ListenConfig{
		Address:   net.JoinHostPort(r.a.Attr().Address, "0"),
		OnRequest: func(req hca.ConnRequest) bool { asked <- req; return true },
	}))(r)
	go func() { done <- x.qp.Connect(context.Background(), l.Addr(), hca.ConnParams{}) }()
	r.until(func() bool { return len(asked) > 0 })
	req := <-asked
	r.must(l.Close())
	return req, done
}

// connect connects two ends.
func (r *rig) connect(x, y *end) {
	r.Helper()
	req, connected := r.request(x)
	accepted := make(chan error, 1)
	go func() { accepted <- req.Accept(context.Background(), y.qp, hca.ConnParams{}) }()
	r.until(func() bool { return len(accepted)+len(connected) == 2 })
	r.must(<-accepted)
	r.must(<-connected)
	for _, e := range []*end{x, y} {
		e.wants(hca.EventEstablished)
	}
}

// wants takes the next event of the connection.
func (e *end) wants(kind hca.ConnEventKind) hca.ConnEvent {
	e.r.Helper()
	e.r.until(func() bool { return len(e.events) > 0 })
	ev := <-e.events
	if ev.Kind != kind {
		e.r.Fatalf("event %d, want %d: %v", ev.Kind, kind, ev.Err)
	}
	return ev
}

func (e *end) seg(n uint32) hca.Segment {
	return hca.Segment{Addr: e.mr.Addr(), Len: n, Key: e.mr.LKey()}
}

// take polls until an entry has come.
func (e *end) take() hca.WC {
	var wcs [1]hca.WC
	for e.cq.Poll(wcs[:]) == 0 {
		runtime.Gosched()
	}
	return wcs[0]
}
