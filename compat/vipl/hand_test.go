package vipl_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestDisconnectWhileAWaiterHasACompletion: a message has arrived, and a waiter has taken its completion, which it has
// not noted yet. Disconnect flushes what is not complete; it waits for the waiter first.
func TestDisconnectWhileAWaiterHasACompletion(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		t.Run("own queue", func(t *testing.T) {
			passive, active := pair(t, name)
			taken(t, passive, active, func(d **vipl.Descriptor) vipl.Return { return vipl.RecvWait(passive.vi, second, d) })
		})
		t.Run("completion queue", func(t *testing.T) {
			passive, active := newNIC(t, name), newSide(t, name)
			var cq vipl.CQHandle
			ok(t, vipl.CreateCQ(passive.nic, 64, &cq))
			passive.attrs = usual()
			passive.attrs.Ptag = passive.ptag
			ok(t, vipl.CreateVi(passive.nic, &passive.attrs, 0, cq, &passive.vi))
			connect(passive, active)
			taken(t, passive, active, func(d **vipl.Descriptor) vipl.Return {
				var vi vipl.VIHandle
				var recv bool
				if ret := vipl.CQWait(cq, second, &vi, &recv); ret != vipl.Success {
					return ret
				}
				return vipl.RecvDone(vi, d)
			})
		})
	})
}

func taken(t *testing.T, passive, active *side, wait func(**vipl.Descriptor) vipl.Return) {
	receive, _ := passive.recv(64)
	var once sync.Once
	over := make(chan vipl.Return, 1)
	end := vipl.WhenTaken(func() {
		once.Do(func() {
			go func() { over <- vipl.Disconnect(passive.vi) }()
			for !vipl.Idle(passive.vi) {
				runtime.Gosched()
			}
			for range 10_000 { // meanwhile it would flush
				runtime.Gosched()
			}
		})
	})
	defer end()
	var got *vipl.Descriptor
	waited := make(chan vipl.Return, 1)
	go func() { waited <- wait(&got) }()
	for !vipl.Sleeps(passive.vi) {
		runtime.Gosched()
	}
	active.postSend(active.desc(vipl.ControlOpSendrecv, seg(active.mem, active.room(64))))
	passive.completed(<-waited, got, receive, vipl.StatusOpReceive)
	ok(t, <-over)
}
