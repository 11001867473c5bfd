package dat_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// A program may keep an endpoint filled from one goroutine and reset it from another. A receive is then flushed
// with the old connection, or kept for the next one. It is not refused.
func TestReceiveDuringReset(t *testing.T) {
	passive, active := pair(t, usual)
	receives := func() {
		for n := 0; ; {
			switch ret := dat.EPPostRecv(active.ep, 1, active.mem.iov(0, 8), num(1), 0); ret.Type() {
			case dat.Success:
				n++
			case dat.InsufficientResources:
				return // it holds all that it can: the reset is over
			default:
				t.Errorf("after %d receives: %v", n, ret)
				return
			}
		}
	}
	besideReset(t, passive, active, active.recv, receives)
}

// A request during a reset is flushed, or refused as on an unconnected endpoint.
func TestRequestDuringReset(t *testing.T) {
	passive, active := pair(t, usual)
	besideReset(t, passive, active, active.req, func() {
		for {
			switch ret := dat.EPPostSend(active.ep, 1, active.mem.iov(0, 8), num(1), 0); {
			case ret == dat.Success, ret.Type() == dat.InsufficientResources:
			case ret.Type() == dat.InvalidState && ret.Subtype() == dat.InvalidStateEPUnconnected:
				return
			default:
				t.Error(ret)
				return
			}
			drained(active.req)
		}
	})
}

// besideReset resets an endpoint whose connection has ended, while another goroutine posts, and connects it again, in
// each round. The events of the posts are at a dispatcher.
func besideReset(t *testing.T, passive, active *side, events dat.EVDHandle, post func()) {
	for range rounds(300, 3) {
		ok(t, dat.EPDisconnect(active.ep, dat.CloseAbruptFlag))
		expect(t, active.conn, dat.ConnectionEventDisconnected)
		expect(t, passive.conn, dat.ConnectionEventDisconnected)
		var both sync.WaitGroup
		both.Go(post)
		ok(t, dat.EPReset(active.ep))
		both.Wait()
		if t.Failed() {
			return
		}
		ok(t, dat.EPReset(passive.ep))
		connect(passive, active, usual)
		drained(events)
	}
}

// drained takes all events.
func drained(h dat.EVDHandle) {
	var ev dat.Event
	for dat.EVDDequeue(h, &ev) == dat.Success {
	}
}
