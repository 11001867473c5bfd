package verbs

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// mute is libraries that do nothing, successfully.
func mute(t *testing.T) *ibv.Lib {
	lib, release := ibv.Serve(func(string) ibv.Func { return func([5]uintptr) (uintptr, ibv.Errno) { return 0, 0 } })
	t.Cleanup(release)
	return lib
}

// answered is a queue pair whose connect waits for its answer.
func answered(t *testing.T) (q *qp, events chan hca.ConnEvent) {
	lib := mute(t)
	a := &adapter{lib: lib, dev: &device{lib: lib}, iwarp: true, cqEvents: &cqEvents{}}
	a.cm = &cm{lib: lib, ids: map[ibv.ID]cmHandler{}}
	id := &cmID{ID: ibv.NewID(0, 0, ibv.PortSpaceTCP), cm: a.cm}
	t.Cleanup(func() { ibv.FreeObject(id.ID) })
	c := &cq{ad: a, closed: true}
	events = make(chan hca.ConnEvent, 2)
	q = &qp{
		ad: a, scq: c, rcq: c, id: id, state: connecting,
		steps: make(chan ibv.CMEvent, 8), cancel: make(chan struct{}), opened: make(chan struct{}), called: make(chan struct{}),
		left: make(chan struct{}), abrupt: make(chan struct{}), progress: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	q.cfg.Event = func(ev hca.ConnEvent) { events <- ev }
	q.recv.q = q
	q.send.init(q, 8)
	close(q.called)
	return q, events
}

// The peer's end may be known before the connection is: then it ends at once.
func TestDisconnectedBeforeEstablished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, events := answered(t)
		q.cmEvent(&ibv.CMEvent{Type: ibv.CMDisconnected})
		q.cmEvent(&ibv.CMEvent{Type: ibv.CMEstablished})
		for _, kind := range []hca.ConnEventKind{hca.EventEstablished, hca.EventDisconnected} {
			select {
			case ev := <-events:
				if ev.Kind != kind {
					t.Fatalf("event %d, want %d: %v", ev.Kind, kind, ev.Err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("event %d does not come", kind)
			}
		}
		<-q.ended
	})
}

// An asynchronous event about a queue pair may come while its connection is established.
func TestEventBesideEstablished(t *testing.T) {
	q, events := answered(t)
	var wg sync.WaitGroup
	wg.Go(func() { q.asyncError(ibv.EventQPAccessErr, "access error") })
	q.cmEvent(&ibv.CMEvent{Type: ibv.CMEstablished})
	wg.Wait()
	<-events
	if ev := <-events; ev.Kind != hca.EventBroken {
		t.Errorf("event %d, want %d: %v", ev.Kind, hca.EventBroken, ev.Err)
	}
	<-q.ended
}

// The reason of an end that this side did not ask for may come after its flushed
// completions, by another way.
func TestReasonComesLate(t *testing.T) {
	const late = reasonTime / 3
	for _, c := range []struct {
		name string
		do   func(q *qp)
		want error
		kind hca.ConnEventKind
	}{
		{"the device says why", func(q *qp) { q.asyncError(ibv.EventQPAccessErr, "why") }, hca.Broken, hca.EventBroken},
		{"the peer has left", func(q *qp) { q.cmEvent(&ibv.CMEvent{Type: ibv.CMDisconnected}) }, hca.Disconnected, hca.EventDisconnected},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, _ := answered(t)
				q.state = ending
				began := time.Now()
				told := make(chan hca.ConnEvent, 1)
				go func() { told <- q.closeStatus(false) }()
				<-time.After(late)
				c.do(q)
				ev := <-told
				if ev.Kind != c.kind || !errors.Is(ev.Err, c.want) || ev.Err.Error() == explainAlone("").Error() {
					t.Errorf("event %d: %v", ev.Kind, ev.Err)
				}
				if took := time.Since(began); took != late {
					t.Errorf("known after %v, want %v", took, late)
				}
			})
		})
	}
}
