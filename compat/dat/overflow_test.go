package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestEveryOverflowIsTold: a dispatcher that is too small for its endpoint loses events, breaks the connection and
// says so, each time. A program that is not told waits for the lost events.
func TestEveryOverflowIsTold(t *testing.T) {
	softOnly(t, "the queue of a device ends with its first overflow")
	paths(t, func(t *testing.T, name string) {
		passive, active := newSide(t, name, nil), newSide(t, name, nil)
		const qlen, receives = 4, 12
		small := evd(t, passive.ia, qlen, dat.EVDDTOFlag)
		p := dat.EPParam{RecvEVDHandle: small}
		ok(t, dat.EPModify(passive.ep, dat.EPFieldRecvEVDHandle, &p))
		for range 3 {
			for i := range receives {
				ok(t, dat.EPPostRecv(passive.ep, 1, passive.mem.iov(8*i, 8), num(uint64(i)), 0))
			}
			connect(passive, active, name)
			for range receives {
				ok(t, dat.EPPostSend(active.ep, 1, active.mem.iov(0, 8), num(0), dat.CompletionSuppressFlag))
			}
			if ev := expect(t, passive.async, dat.AsyncErrorEVDOverflow); ev.EventData.AsynchErrorEventData.DatHandle != dat.Handle(small) {
				t.Fatalf("%+v", ev.EventData.AsynchErrorEventData)
			}
			expect(t, passive.conn, dat.ConnectionEventBroken)
			next(t, active.conn)
			ok(t, dat.EPReset(passive.ep))
			ok(t, dat.EPReset(active.ep))
			var ev dat.Event
			for dat.EVDDequeue(small, &ev) == dat.Success {
			}
			for dat.EVDDequeue(active.req, &ev) == dat.Success {
			}
		}
		empty(t, passive.async)
	})
}
