package peers_test

import (
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// event waits for the connection's next event, which must be of this kind.
func (e *endpoint) event(kind hca.ConnEventKind) hca.ConnEvent {
	e.t.Helper()
	ev := e.anyEvent()
	if ev.Kind != kind {
		e.t.Errorf("event %d (%v), want %d", ev.Kind, ev.Err, kind)
	}
	return ev
}

func (e *endpoint) anyEvent() hca.ConnEvent {
	e.t.Helper()
	select {
	case ev := <-e.events:
		return ev
	case <-time.After(patience):
		e.t.Fatal("no event came")
		return hca.ConnEvent{}
	}
}

// over waits for the end of the connection and checks the result: all entries are there, only permitted bytes
// have changed, and nothing happens any more.
func (e *endpoint) over(kind hca.ConnEventKind) error {
	e.t.Helper()
	ev := e.event(kind)
	e.end(ev)
	return ev.Err
}

// end checks the result after the last event.
func (e *endpoint) end(ev hca.ConnEvent) {
	e.t.Helper()
	e.stock()
	if ev.Kind == hca.EventBroken {
		var he *hca.Error
		if !errors.As(ev.Err, &he) || he.Code != hca.Broken && he.Code != hca.Work {
			e.t.Errorf("the connection broke without a cause: %v", ev.Err)
		}
	}
}

// stock checks the result of an endpoint that is over.
func (e *endpoint) stock() {
	e.t.Helper()
	late := e.ledger.enter(hca.StatusFlushed)
	if err := e.qp.PostRecv(hca.RecvWR{ID: late}); err != nil {
		e.t.Errorf("a post after the end: %v", err)
	}
	e.drain()
	e.ledger.balance(e.t)
	e.mem.untouched(e.t, e.may)
	e.close()
	if n := len(e.events); n > 0 {
		e.t.Errorf("%d events after the end", n)
	}
}

func (e *endpoint) drain() {
	var wc [64]hca.WC
	for _, q := range []*queue{e.scq, e.rcq} {
		for n := q.Poll(wc[:]); n > 0; n = q.Poll(wc[:]) {
			for _, c := range wc[:n] {
				e.ledger.record(c)
			}
		}
	}
}
