package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// What one goroutine takes off a queue without taking the descriptor may be what would have woken
// another one.
func TestWhatIsTakenWakesWhoeverWaits(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		t.Run("a queue", func(t *testing.T) {
			s := newSide(t, name)
			d, _ := s.recv(8)
			ok(t, vipl.Disconnect(s.vi))
			if !vipl.Drained(s.vi) {
				t.Error("a descriptor is complete, and nothing wakes who waits")
			}
			s.received(d, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
			if vipl.Drained(s.vi) {
				t.Error("there is nothing, and something wakes who waits")
			}
		})
		t.Run("a completion queue", func(t *testing.T) {
			s := newNIC(t, name)
			var c vipl.CQHandle
			ok(t, vipl.CreateCQ(s.nic, 16, &c))
			s.attrs = usual()
			s.attrs.Ptag = s.ptag
			ok(t, vipl.CreateVi(s.nic, &s.attrs, 0, c, &s.vi))
			s.recv(8)
			ok(t, vipl.Disconnect(s.vi))
			if !vipl.Gathered(c) {
				t.Error("there is an entry, and nothing wakes who waits")
			}
			if vipl.Gathered(c) {
				t.Error("nothing has come, and something wakes who waits")
			}
		})
	})
}
