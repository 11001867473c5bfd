package verbs

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// draining is a queue pair in the middle of a graceful end: two requests are under
// way. What its device and its connection manager would say, a test says.
type drainingQP struct {
	*qp
	alone chan bool // what workDone gave
}

func newDraining() *drainingQP {
	a := &adapter{cqEvents: &cqEvents{}}
	c := &cq{ad: a, closed: true} // there is no device to be armed
	q := &qp{
		ad: a, scq: c, rcq: c, state: connected,
		left: make(chan struct{}), abrupt: make(chan struct{}), progress: make(chan struct{}, 1),
	}
	q.send.init(q, 8)
	for seq := range uint64(2) {
		q.send.note(q.send.add(seq, sendRec{len: 8, op: hca.OpSend}), seq)
		q.send.give(seq + 1)
	}
	q.asked, q.state = true, draining
	d := &drainingQP{q, make(chan bool, 1)}
	go func() { d.alone <- d.workDone(true) }()
	synctest.Wait()
	return d
}

// completes has the completion queue take a completion. What it gives does what
// comes once the queue's lock is let go.
func (d *drainingQP) completes(seq uint64, st ibv.WCStatus) (then func()) {
	c := d.scq
	c.mu.Lock()
	d.send.completed(c, &ibv.WC{Status: st}, seq)
	after := c.after
	c.after = nil
	c.mu.Unlock()
	return func() {
		for _, a := range after {
			a.what(a.qp)
		}
		synctest.Wait()
	}
}

func (d *drainingQP) peerLeaves() {
	d.cmEvent(&ibv.CMEvent{Type: ibv.CMDisconnected})
	synctest.Wait()
}

// What a graceful end is reported as, for each order in which the news of it come.
func TestOrderOfEnds(t *testing.T) {
	const refused, flushed, silent, ours = ibv.WCRemInvReqErr, ibv.WCWRFlushErr, ibv.WCRetryExcErr, ibv.WCLocQPOpErr
	for _, c := range []struct {
		name  string
		do    func(d *drainingQP)
		want  hca.ConnEventKind
		takes time.Duration
	}{
		{"all is done", func(d *drainingQP) { d.completes(0, 0)(); d.completes(1, 0)() }, hca.EventDisconnected, 0},
		{"a refusal", func(d *drainingQP) { d.completes(0, refused)() }, hca.EventBroken, 0},
		{"a refusal of the last request, known late", func(d *drainingQP) {
			d.completes(0, 0)()
			then := d.completes(1, refused)
			synctest.Wait() // it counts as done, and the queue pair has not been told
			then()
		}, hca.EventBroken, 0},
		{"a refusal, then the peer leaves", func(d *drainingQP) { d.completes(0, refused)(); d.peerLeaves() }, hca.EventBroken, 0},
		{"the peer leaves, then its refusal", func(d *drainingQP) {
			d.peerLeaves()
			<-time.After(peerStatusTime / 2)
			d.completes(0, refused)()
		}, hca.EventBroken, peerStatusTime / 2},
		{"the peer leaves, then its refusal, known late", func(d *drainingQP) {
			d.peerLeaves()
			d.completes(0, 0)()
			then := d.completes(1, refused)
			synctest.Wait()
			then()
		}, hca.EventBroken, 0},
		{"the peer leaves, and nothing comes", func(d *drainingQP) { d.peerLeaves() }, hca.EventDisconnected, peerStatusTime},
		{"the peer leaves, then its refusal too late", func(d *drainingQP) {
			d.peerLeaves()
			<-time.After(2 * peerStatusTime)
			d.completes(0, refused)()
		}, hca.EventDisconnected, 2 * peerStatusTime},
		{"the peer leaves, then all is flushed", func(d *drainingQP) {
			d.peerLeaves()
			d.completes(0, flushed)()
			d.completes(1, flushed)()
		}, hca.EventDisconnected, 0},
		{"the peer leaves, then does not answer", func(d *drainingQP) { d.peerLeaves(); d.completes(0, silent)() }, hca.EventDisconnected, peerStatusTime},
		// siw says so of what it was sending.
		{"the peer leaves, then a failure of this side", func(d *drainingQP) { d.peerLeaves(); d.completes(0, ours)() }, hca.EventDisconnected, peerStatusTime},
		{"a failure of a request of no bytes, then the peer leaves", func(d *drainingQP) {
			d.send.recs[0].internal = true
			d.send.internal.Add(1)
			d.completes(0, ours)()
			<-time.After(peerStatusTime / 2)
			d.peerLeaves()
		}, hca.EventDisconnected, peerStatusTime},
		{"a failure of this side", func(d *drainingQP) { d.completes(0, ours)() }, hca.EventBroken, 0},
		{"an abrupt end, then a refusal", func(d *drainingQP) {
			if err := d.Disconnect(false); err != nil {
				t.Error(err)
			}
			d.completes(0, refused)()
		}, hca.EventDisconnected, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDraining()
				began := time.Now()
				c.do(d)
				ev := d.closeStatus(<-d.alone)
				if ev.Kind != c.want {
					t.Errorf("event %d, want %d: %v", ev.Kind, c.want, ev.Err)
				}
				if took := time.Since(began); took != c.takes {
					t.Errorf("known after %v, want %v", took, c.takes)
				}
			})
		})
	}
}

// TestFailedEventBesideTheEnd: siw says that the queue pair has failed when it was sending as the peer left. Of other devices
// the event is the cause of the end.
func TestFailedEventBesideTheEnd(t *testing.T) {
	for siw, want := range map[bool]hca.ConnEventKind{true: hca.EventDisconnected, false: hca.EventBroken} {
		synctest.Test(t, func(t *testing.T) {
			d := newDraining()
			d.asked, d.ad.siw = false, siw
			d.asyncError(ibv.EventQPFatal, "local work queue catastrophic error")
			d.peerLeaves()
			if ev := d.closeStatus(<-d.alone); ev.Kind != want {
				t.Errorf("siw %v: event %d, want %d: %v", siw, ev.Kind, want, ev.Err)
			}
		})
	}
}
