package wait_test

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/wait"
)

// TestNoBurstsInACrowd: while many sleep, a wait arms at once, also a steady one. When they have left, bursts are back.
func TestNoBurstsInACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const burst = 10
		var crowd wait.Crowd
		looks := func() int {
			var cell wait.Cell
			var c counter
			done := make(chan struct{})
			close(done)
			cell.Wait(&c, wait.Options{Burst: burst, Steady: true, Crowd: &crowd, Done: done})
			return c.looks
		}
		alone := looks()
		sleepers := make([]counter, 4*runtime.NumCPU()+1)
		cells := make([]wait.Cell, len(sleepers))
		ended := make(chan wait.Outcome)
		for i := range sleepers {
			go func() { ended <- cells[i].Wait(&sleepers[i], wait.Options{Burst: burst, Crowd: &crowd}) }()
		}
		synctest.Wait()
		if n := looks(); n != alone-burst {
			t.Errorf("%d looks in a crowd, %d alone", n, alone)
		}
		for i := range sleepers {
			sleepers[i].n.Store(1)
			cells[i].Wake()
			<-ended
		}
		if n := looks(); n != alone {
			t.Errorf("%d looks when the others have left, %d before", n, alone)
		}
	})
}

// TestSleepersWithoutBurstsAreNoCrowd: they would not burst anyway, for example goroutines of channels.
func TestSleepersWithoutBurstsAreNoCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var crowd wait.Crowd
		stop := make(chan struct{})
		for range 8 * runtime.NumCPU() {
			go func() {
				var cell wait.Cell
				cell.Wait(never{}, wait.Options{Crowd: &crowd, Done: stop})
			}()
		}
		synctest.Wait()
		var cell wait.Cell
		var c counter
		done := make(chan struct{})
		close(done)
		cell.Wait(&c, wait.Options{Burst: 10, Steady: true, Crowd: &crowd, Done: done})
		if c.looks < 10 {
			t.Errorf("%d looks", c.looks)
		}
		close(stop)
	})
}
