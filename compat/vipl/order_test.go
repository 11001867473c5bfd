package vipl_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestWaitersInOrder: a descriptor completes while a goroutine waits. A later wait does not get it.
func TestWaitersInOrder(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s := newSide(t, name)
		asleep, goOn := make(chan struct{}), make(chan struct{})
		once := true
		end := vipl.WhenSleeping(func(full bool) {
			if full && once {
				once = false
				close(asleep)
				<-goOn
			}
		})
		defer end()
		first := make(chan *vipl.Descriptor, 1)
		go func() {
			var d *vipl.Descriptor
			vipl.SendWait(s.vi, second, &d)
			first <- d
		}()
		<-asleep
		one := s.postSend(s.desc(0)) // without a connection it is complete
		later := make(chan *vipl.Descriptor, 1)
		go func() {
			var d *vipl.Descriptor
			vipl.SendWait(s.vi, second, &d)
			later <- d
		}()
		for range 10_000 { // meanwhile it would take the descriptor
			runtime.Gosched()
		}
		close(goOn)
		if d := <-first; d != one {
			t.Errorf("the first waiter got %p, want %p", d, one)
		}
		two := s.postSend(s.desc(0))
		if d := <-later; d != two {
			t.Errorf("the second waiter got %p, want %p", d, two)
		}
	})
}
