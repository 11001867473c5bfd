package rdma

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/wait"
)

// call is a call that waits until goes is set.
type call struct {
	cell wait.Cell
	goes atomic.Bool
}

func (c *call) Look() bool { return c.goes.Load() }
func (c *call) Arm()       {}

// TestSleepersAllWake: each call that waits is woken, and none that has left, whichever leaves first.
func TestSleepersAllWake(t *testing.T) {
	for leaves := range 3 {
		synctest.Test(t, func(t *testing.T) {
			var s sleepers
			var calls [3]call
			var woken [3]atomic.Bool
			var all sync.WaitGroup
			for i := range calls {
				s.add(&calls[i].cell)
				all.Go(func() { calls[i].cell.Wait(&calls[i], wait.Options{}); woken[i].Store(true) })
			}
			synctest.Wait()
			s.remove(&calls[leaves].cell)
			for i := range calls {
				calls[i].goes.Store(true)
			}
			s.wake()
			synctest.Wait()
			for i := range calls {
				if woken[i].Load() == (i == leaves) {
					t.Errorf("call %d left, and call %d was woken: %v", leaves, i, woken[i].Load())
				}
			}
			calls[leaves].cell.Wake()
			all.Wait()
		})
	}
}
