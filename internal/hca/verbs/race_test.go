package verbs

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A connection that was given up is not made any more, when its answer comes.
func TestCanceledIsNotEstablished(t *testing.T) {
	q := &qp{ad: &adapter{}, state: connecting, cancel: make(chan struct{})}
	close(q.cancel)
	if q.established(&ibv.CMEvent{Type: ibv.CMEstablished}) || q.state != connecting {
		t.Errorf("state %d", q.state)
	}
	q.state = connected
	if q.abort() || q.state != connected {
		t.Error("a connection that was made has been aborted")
	}
}

// A program that closes ends the context of the attempt first, with its reason, and then
// the queue pair. An attempt that looks only then finds both.
func TestCanceledForTheFirstReason(t *testing.T) {
	for range 50 {
		q := &qp{ad: &adapter{}, state: connecting, cancel: make(chan struct{}), steps: make(chan ibv.CMEvent)}
		outer, end := context.WithCancelCause(t.Context())
		ctx, stop := q.untilCancel(outer, "Connect", "peer")
		end(hca.NewError(hca.Closed, "connect", "endpoint 1", "the endpoint has been closed"))
		q.stopConnecting()
		if _, err := q.step(ctx, "Connect", "peer", ibv.CMEstablished); !errors.Is(err, hca.Closed) {
			t.Fatalf("it failed with %v", err)
		}
		stop()
	}
}

// The watcher's round may begin while another one is running, for instance in a
// callback.
func TestLooksThatOverlap(t *testing.T) {
	a := &adapter{all: map[*qp]struct{}{}}
	a.watch.ad, a.watch.closed = a, true
	looks := 0
	for range 3 {
		c := &cq{ad: a, closed: true}
		c.cfg.Notify = func() {
			looks++
			a.watch.looks.Add(1)
			a.watch.check()
		}
		c.armed, c.fresh = true, true
		q := &qp{ad: a, scq: c}
		q.send.given.Store(1)
		a.all[q] = struct{}{}
	}
	a.watch.looks.Add(1)
	a.watch.check()
	if looks != 3 {
		t.Errorf("%d queues have told of themselves, want 3", looks)
	}
}

// Close waits for calls that make or free something, and then refuses them.
func TestCallsEndBeforeClose(t *testing.T) {
	a := &adapter{attr: hca.Attr{Name: "rxe0"}}
	if err := a.begin("NewCQ"); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		a.calls.close()
	}()
	for a.begin("NewPD") == nil { // until the other has begun to close
		a.calls.leave()
	}
	select {
	case <-closed:
		t.Error("closed while a call was under way")
	default:
	}
	a.calls.leave()
	<-closed
	told(t, a.begin("NewCQ"), hca.Closed)
}

// A device that has failed breaks the connections that are on it, since it may
// not be able to say so of each.
func TestFatalBreaksConnections(t *testing.T) {
	a := &adapter{attr: hca.Attr{Name: "rxe0"}, port: 1, all: map[*qp]struct{}{}}
	var events []hca.AsyncEvent
	a.opt.Async = func(ev hca.AsyncEvent) { events = append(events, ev) }
	q := &qp{ad: a, state: connecting, cancel: make(chan struct{})}
	a.all[q] = struct{}{}
	a.deviceEvent(ibv.EventPortErr, 1, "port error")
	if q.cause != nil {
		t.Errorf("a port that is down for a moment broke the connection: %v", q.cause)
	}
	a.deviceEvent(ibv.EventDeviceFatal, 0, "local catastrophic error")
	told(t, q.cause, hca.Broken, "device rxe0: ", "catastrophic", "open it again")
	a.calls.close() // waits for the callbacks
	if len(events) != 2 || events[0].Kind != hca.AsyncPortDown || events[1].Kind != hca.AsyncAdapterFailed {
		t.Errorf("events %+v", events)
	}
}

// The answer to a connect may come before the library's call has returned, and an
// end with it: nothing is destroyed until the call is over.
func TestEndWaitsForTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &qp{opened: make(chan struct{}), called: make(chan struct{})}
		ending := make(chan struct{})
		go func() {
			q.awaitMade()
			close(ending)
		}()
		close(q.opened)
		synctest.Wait()
		select {
		case <-ending:
			t.Error("the end began while the library was in the call")
		default:
		}
		close(q.called)
		<-ending
	})
}

// The library reads a window and its region when a bind is posted: until then they
// are not freed.
func TestBindKeepsItsWindow(t *testing.T) {
	p := &pd{ad: &adapter{}, mws: map[*mw]struct{}{}, mrs: map[*mr]struct{}{}}
	q := &qp{ad: p.ad, pd: p}
	w, m := &mw{pd: p, kind: hca.ZoneWindow}, &mr{pd: p, closed: true}
	for what, free := range map[string]func(){
		"window": func() { w.Close() }, "region": func() { m.Close() }, "connection": func() { p.renewWindows(q) },
	} {
		// It finds no window of the device, and reads nothing of the library.
		if _, err := q.buildBind(0, nil, &hca.SendWR{Bind: &hca.Bind{MW: w}}); err == nil {
			t.Fatal("bound")
		}
		freed := make(chan struct{})
		go func() {
			defer close(freed)
			free()
		}()
		for p.binding.TryRLock() { // until the other waits
			p.binding.RUnlock()
			select {
			case <-freed:
				t.Fatalf("a %s was freed beside a bind", what)
			default:
			}
		}
		q.letBinds()
		<-freed
		delete(p.mws, w)
		w.closed.Store(false)
	}
}

// An event is routed on the list of adapters as it was, whoever is closed meanwhile.
func TestDetachLeavesListAlone(t *testing.T) {
	x, y := &adapter{}, &adapter{}
	d := &device{adapters: []*adapter{x, y}}
	seen := d.adapters
	d.detach(x)
	if seen[0] != x || seen[1] != y {
		t.Errorf("the list that a reader has is %p, %p now; it was %p, %p", seen[0], seen[1], x, y)
	}
	if len(d.adapters) != 1 || d.adapters[0] != y {
		t.Errorf("%d adapters are left", len(d.adapters))
	}
}
