package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// An endpoint is our side of a connection.
type endpoint struct {
	t        testing.TB
	s        *station
	qp       hca.QP
	scq, rcq *queue
	mem      *memory
	events   chan hca.ConnEvent
	info     *hca.ConnInfo // once established
	ledger   *ledger
	may      []span // what the peer may change
	recvAt   int    // how much of mem.recv is in use
	recvs    []uint64
	closed   bool
}

// depths are how many reads each side may have under way.
type depths struct{ in, out int }

func (s *station) endpoint(t testing.TB, d depths) *endpoint { return s.endpointOn(t, d, nil) }

// endpointOn takes its receives from a shared queue, if there is one.
func (s *station) endpointOn(t testing.TB, d depths, srq hca.SRQ) *endpoint {
	t.Helper()
	e := &endpoint{
		t: t, s: s, scq: newQueue(t, s.a), rcq: newQueue(t, s.a), mem: newMemory(t, s.pd, s.foreign),
		events: make(chan hca.ConnEvent, 8), ledger: newLedger(),
	}
	var err error
	e.qp, err = s.a.NewQP(hca.QPConfig{
		PD: s.pd, SendCQ: e.scq.CQ, RecvCQ: e.rcq.CQ, SendDepth: 128, RecvDepth: 64, SendSGE: 2, RecvSGE: 2,
		ReadsIn: d.in, ReadsOut: d.out, SRQ: srq,
		Event: func(ev hca.ConnEvent) { e.events <- ev },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	return e
}

func (e *endpoint) close() {
	if e.closed {
		return
	}
	e.closed = true
	for _, f := range []func() error{e.qp.Close, e.scq.Close, e.rcq.Close} {
		if err := f(); err != nil {
			e.t.Error(err)
		}
	}
	e.mem.close()
}

// recv posts a receive of n bytes, next to the former one.
func (e *endpoint) recv(n int) uint64 {
	e.t.Helper()
	id := e.ledger.enter(hca.StatusFlushed)
	if err := e.qp.PostRecv(hca.RecvWR{ID: id, Local: e.mem.recv.segment(e.recvAt, n)}); err != nil {
		e.t.Fatal(err)
	}
	e.recvAt += n
	e.recvs = append(e.recvs, id)
	return id
}

// post posts a request that may end with one of these statuses.
func (e *endpoint) post(wr hca.SendWR, allowed ...hca.Status) uint64 {
	e.t.Helper()
	wr.ID = e.ledger.enter(allowed...)
	if err := e.qp.PostSend(wr); err != nil {
		e.t.Fatal(err)
	}
	return wr.ID
}

// readAt posts a read of n bytes into the sink.
func (e *endpoint) readAt(i, n int) uint64 {
	e.t.Helper()
	return e.post(hca.SendWR{Op: hca.OpRead, Local: e.mem.sink.segment(i, n), Remote: 0x10000 + uint64(i), RKey: 0xabcd02}, hca.StatusFlushed)
}

// busy posts requests that the peer does not answer: a read, and behind it a write and a read.
func (e *endpoint) busy() {
	e.readAt(0, 32)
	e.post(hca.SendWR{Op: hca.OpWrite, Local: e.mem.src.segment(0, 16), Remote: 0x20000, RKey: 0xabcd03}, hca.StatusFlushed, hca.StatusOK)
	e.readAt(64, 16)
}

// received waits for the oldest receive, which must have succeeded.
func (e *endpoint) received() hca.WC {
	e.t.Helper()
	wc := e.rcq.next(e.t)
	e.ledger.record(wc)
	e.ledger.allow(wc.ID, hca.StatusOK)
	if wc.Status != hca.StatusOK {
		e.t.Errorf("receive: %v", wc.Status)
	}
	return wc
}

// done waits for the oldest request, which must end with this status.
func (e *endpoint) done(status hca.Status) hca.WC {
	e.t.Helper()
	wc := e.scq.next(e.t)
	e.ledger.record(wc)
	e.ledger.allow(wc.ID, status)
	if wc.Status != status {
		e.t.Errorf("%v: %v, want %v", wc.Op, wc.Status, status)
	}
	return wc
}
