package vipl_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestDisconnectKeepsWhatHasArrived: several messages come while a goroutine sleeps, and Disconnect follows at once. A
// descriptor whose message is there has not been flushed.
func TestDisconnectKeepsWhatHasArrived(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		if device(name) {
			t.Skip("a device may place a message and flush its receive")
		}
		for range 20 {
			a, b := pair(t, name)
			var into [4][]byte
			for i := range into {
				_, into[i] = a.recv(1)
			}
			first := make(chan *vipl.Descriptor, 1)
			go func() {
				var d *vipl.Descriptor
				vipl.RecvWait(a.vi, second, &d)
				first <- d
			}()
			for !vipl.Sleeps(a.vi) {
				runtime.Gosched()
			}
			for range into {
				from := b.room(1)
				from[0] = 1
				b.postSend(b.desc(0, seg(b.mem, from)))
			}
			ok(t, vipl.Disconnect(a.vi))
			d := <-first
			for i := range into {
				if i > 0 {
					vipl.RecvDone(a.vi, &d)
				}
				if d == nil || into[i][0] != 0 && d.CS.Status != vipl.StatusOpReceive|vipl.StatusDone {
					t.Fatalf("receive %d: %+v, and the message is there", i, d)
				}
			}
			ok(t, vipl.CloseNic(a.nic))
			ok(t, vipl.CloseNic(b.nic))
		}
	})
}
