package rdma_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// fake is an adapter that does what a test says: it makes completions and
// events in orders that a real one makes rarely.
type fake struct {
	hca.Adapter
	attr    hca.Attr
	async   func(hca.AsyncEvent)
	qp      *fakeQP // the latest
	cqs     []*fakeCQ
	connect func(q *fakeQP) error
	recvs   func(wrs []hca.RecvWR) (int, error)
	send    func(q *fakeQP, wr hca.SendWR) error // nil: accepts
	listens hca.ListenConfig                     // the latest
}

const fakeName = "fake-0"

func openFake(t *testing.T, f *fake) *rdma.Adapter {
	t.Helper()
	t.Cleanup(rdma.RegisterDriver(f))
	a, err := rdma.Open(within(t), fakeName, rdma.OpenConfig{})
	must(t, err)
	t.Cleanup(func() { a.Close() })
	return a
}

func (f *fake) Names() []string { return []string{fakeName} }
func (f *fake) Open(_ context.Context, _ string, opt hca.Options) (hca.Adapter, error) {
	f.async = opt.Async
	return f, nil
}
func (f *fake) Attr() *hca.Attr        { return &f.attr }
func (f *fake) Close() error           { return nil }
func (f *fake) NewPD() (hca.PD, error) { return &fakePD{}, nil }

func (f *fake) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	q := &fakeCQ{cfg: cfg}
	f.cqs = append(f.cqs, q)
	return q, nil
}

func (f *fake) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	f.qp = &fakeQP{f: f, cfg: cfg, recv: cfg.RecvCQ.(*fakeCQ), received: make(chan hca.RecvWR, 8)}
	return f.qp, nil
}

func (f *fake) Listen(_ context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	f.listens = cfg
	return fakeListener{}, nil
}

type fakeListener struct{ hca.Listener }

func (fakeListener) Addr() string { return "fake:1" }
func (fakeListener) Close() error { return nil }

type fakePD struct{ hca.PD }

func (*fakePD) Close() error { return nil }

func (*fakePD) NewWindow(hca.WindowKind) (hca.MW, error) { return fakeMW{}, nil }

func (*fakePD) NewSRQ(hca.SRQConfig) (hca.SRQ, error) { return fakeSRQ{}, nil }

type fakeSRQ struct{ hca.SRQ }

func (fakeSRQ) Depth() int    { return 8 }
func (fakeSRQ) Arm(int) error { return nil }
func (fakeSRQ) Close() error  { return nil }

type fakeMW struct{ hca.MW }

func (fakeMW) Close() error { return nil }

type fakeCQ struct {
	cfg    hca.CQConfig
	mu     sync.Mutex
	wcs    []hca.WC
	inPoll func() // called once, inside the next poll that finds nothing
	polls  int
	// armErr, if it is not nil, is what Arm fails with.
	armErr atomic.Pointer[error]
}

// put adds entries of which the queue does not notify.
func (q *fakeCQ) put(wcs ...hca.WC) {
	q.mu.Lock()
	q.wcs = append(q.wcs, wcs...)
	q.mu.Unlock()
}

func (q *fakeCQ) push(wcs ...hca.WC) {
	q.put(wcs...)
	q.cfg.Notify()
}

func (q *fakeCQ) Poll(dst []hca.WC) int {
	q.polls++
	if n := q.take(dst); n > 0 {
		return n
	}
	if f := q.inPoll; f != nil {
		q.inPoll = nil
		f()
	}
	return q.take(dst)
}

func (q *fakeCQ) take(dst []hca.WC) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := copy(dst, q.wcs)
	q.wcs = q.wcs[n:]
	return n
}

func (q *fakeCQ) Arm() error {
	if err := q.armErr.Load(); err != nil {
		return *err
	}
	return nil
}

func (q *fakeCQ) Resize(int) error { return nil }
func (q *fakeCQ) Depth() int       { return q.cfg.Depth }
func (q *fakeCQ) Close() error     { return nil }

type fakeQP struct {
	hca.QP
	f    *fake
	cfg  hca.QPConfig
	recv *fakeCQ
	// What was posted.
	sent     []hca.SendWR
	received chan hca.RecvWR
	left     []bool // for each Disconnect, whether it was graceful
}

func (q *fakeQP) Connect(context.Context, string, hca.ConnParams) error { return q.f.connect(q) }
func (q *fakeQP) PostRecvs(wrs []hca.RecvWR) (int, error)               { return q.f.recvs(wrs) }
func (q *fakeQP) PostRecv(wr hca.RecvWR) error                          { q.received <- wr; return nil }
func (q *fakeQP) PostSend(wr hca.SendWR) error {
	if q.f.send != nil {
		return q.f.send(q, wr)
	}
	q.sent = append(q.sent, wr)
	return nil
}
func (q *fakeQP) Disconnect(graceful bool) error {
	q.left = append(q.left, graceful)
	return nil
}
func (q *fakeQP) Close() error { return nil }

func (q *fakeQP) established() {
	q.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &hca.ConnInfo{}})
}

func (q *fakeQP) ended() {
	q.cfg.Event(hca.ConnEvent{Kind: hca.EventDisconnected})
}

// receipt is a completion of a receive.
func (q *fakeQP) receipt(cookie uint64) hca.WC {
	return hca.WC{ID: cookie, Owner: q.cfg.Owner, Op: hca.OpRecv}
}
