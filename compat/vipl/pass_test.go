package vipl_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/compat/vipl"
)

// TestAWaiterGetsWhatIsLeft: a goroutine has found nothing, and is about to sleep. Now the oldest descriptor completes,
// which another goroutine takes. The next descriptor, which had completed before, is for the goroutine that sleeps.
func TestAWaiterGetsWhatIsLeft(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for _, full := range []bool{false, true} {
			t.Run("a receive queue", func(t *testing.T) {
				a, b := newSide(t, name), newSide(t, name)
				leaves(a, b, full, func() vipl.Return {
					var d *vipl.Descriptor
					return vipl.RecvDone(a.vi, &d)
				}, func() vipl.Return {
					var d *vipl.Descriptor
					return vipl.RecvWait(a.vi, vipl.Infinite, &d)
				}, vipl.DescriptorError)
			})
			t.Run("a completion queue", func(t *testing.T) {
				a, cq := shared(t, name)
				b := newSide(t, name)
				leaves(a, b, full, func() vipl.Return {
					var vi vipl.VIHandle
					var recv bool
					return vipl.CQDone(cq, &vi, &recv)
				}, func() vipl.Return {
					var vi vipl.VIHandle
					var recv bool
					return vipl.CQWait(cq, vipl.Infinite, &vi, &recv)
				}, vipl.Success)
			})
		}
	})
}

// leaves posts a receive and a malformed one, which completes at once, connects, and has the first one taken by done
// while wait is about to sleep. A malformed receive of a VI without a connection ends none.
func leaves(a, b *side, full bool, done, wait func() vipl.Return, wanted vipl.Return) {
	t := a.t
	t.Helper()
	a.recv(8)
	a.postRecv(a.desc(vipl.ControlOpReserved))
	connect(a, b)
	once := true
	end := vipl.WhenSleeping(func(now bool) {
		if now != full || !once {
			return
		}
		once = false
		b.postSend(b.desc(0, seg(b.mem, b.room(8))))
		for done() == vipl.NotDone {
			runtime.Gosched()
		}
	})
	defer end()
	want(t, soon(t, wait), wanted)
	if once {
		t.Error("the waiter has not been about to sleep")
	}
}

// soon is the result of a wait without a limit that must come. A limit would not do: a wait looks once more at its end.
func soon(t testing.TB, wait func() vipl.Return) vipl.Return {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), second*time.Millisecond)
	defer cancel()
	result := make(chan vipl.Return, 1)
	go func() { result <- wait() }()
	select {
	case ret := <-result:
		return ret
	case <-ctx.Done():
		t.Fatal("nobody wakes who waits")
		return 0
	}
}

// TestASleeperGetsWhatIsLeftOfSends is that for SendDone, which takes completions in its own way.
func TestASleeperGetsWhatIsLeftOfSends(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for _, full := range []bool{false, true} {
			a, b := pair(t, name)
			b.recv(8)
			once := true
			end := vipl.WhenSleeping(func(now bool) {
				if now != full || !once {
					return
				}
				once = false
				good := a.postSend(a.desc(0, seg(a.mem, a.room(8))))
				a.postSend(a.desc(vipl.ControlOpReserved))
				var d *vipl.Descriptor
				for vipl.SendDone(a.vi, &d) == vipl.NotDone {
					runtime.Gosched()
				}
				if d != good {
					t.Errorf("got %p, want %p", d, good)
				}
			})
			want(t, soon(t, func() vipl.Return {
				var d *vipl.Descriptor
				return vipl.SendWait(a.vi, vipl.Infinite, &d)
			}), vipl.DescriptorError)
			end()
			if once {
				t.Error("the waiter has not been about to sleep")
			}
		}
	})
}
