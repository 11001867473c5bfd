package wait_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

const crowdBurst = 10

// looksBeside makes a wait that finds nothing, and returns the number of looks.
func looksBeside(crowd *wait.Crowd, steady bool) int {
	var cell wait.Cell
	var w counter
	done := make(chan struct{})
	close(done)
	cell.Wait(&w, wait.Options{Burst: crowdBurst, Steady: steady, Crowd: crowd, Done: done})
	return w.looks
}

// TestNoBurstsInACrowd: while many sleep, a wait arms at once, a steady one while more do. When they have left, bursts are
// back.
func TestNoBurstsInACrowd(t *testing.T) {
	for _, c := range []struct {
		steady bool
		each   int // sleepers for a processor
	}{{false, 1}, {true, 4}} {
		synctest.Test(t, func(t *testing.T) {
			var crowd wait.Crowd
			looks := func() int { return looksBeside(&crowd, c.steady) }
			alone := looks()
			sleepers := make([]counter, c.each*runtime.NumCPU()+1)
			cells := make([]wait.Cell, len(sleepers))
			ended := make(chan wait.Outcome)
			for i := range sleepers {
				if n := looks(); n != alone {
					t.Errorf("steady %t: %d looks beside %d sleepers, %d alone", c.steady, n, i, alone)
				}
				go func() { ended <- cells[i].Wait(&sleepers[i], wait.Options{Crowd: &crowd, Burst: crowdBurst}) }()
				synctest.Wait()
			}
			if n := looks(); n >= alone || n > 3 { // before arming, after arming, and the last
				t.Errorf("steady %t: %d looks in a crowd, %d alone", c.steady, n, alone)
			}
			for i := range sleepers {
				sleepers[i].n.Store(1)
				cells[i].Wake()
				<-ended
			}
			if n := looks(); n != alone {
				t.Errorf("steady %t: %d looks when the others have left, %d before", c.steady, n, alone)
			}
		})
	}
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

// TestWhoeverSleepsForLongIsNoCrowd: connections that are idle need no processor. One that wakes and sleeps again counts.
func TestWhoeverSleepsForLongIsNoCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var crowd wait.Crowd
		looks := func() int { return looksBeside(&crowd, false) }
		alone := looks()
		sleepers := make([]counter, 8*runtime.NumCPU())
		cells := make([]wait.Cell, len(sleepers))
		stop := make(chan struct{})
		again := make(chan int)
		sleep := func(i int) {
			cells[i].Wait(&sleepers[i], wait.Options{Burst: crowdBurst, Crowd: &crowd, Done: stop})
			again <- i
		}
		wake := func(n int) { // so many, which sleep again
			for i := range n {
				sleepers[i].n.Store(1)
				cells[i].Wake()
				<-again
				go sleep(i)
				synctest.Wait()
			}
		}
		for i := range sleepers {
			go sleep(i)
		}
		synctest.Wait()
		for range 3 {
			if n := looks(); n == alone {
				t.Error("bursts beside many that have just begun to sleep")
			}
			<-time.After(20 * time.Millisecond)
			if n := looks(); n == alone {
				t.Error("bursts beside many that have slept for as long as a goroutine may wait for a processor")
			}
			<-time.After(100 * time.Millisecond)
			if n := looks(); n != alone {
				t.Error("no bursts beside many that are idle")
			}
			wake(runtime.NumCPU())
			if n := looks(); n != alone {
				t.Error("no bursts beside many that are idle, and some that wake")
			}
			wake(len(sleepers))
		}
		// Idle sleepers stay. Sleepers that come and leave beside them count no longer, also in the period after.
		<-time.After(100 * time.Millisecond)
		brief := make([]counter, runtime.NumCPU()+1)
		places := make([]wait.Cell, len(brief))
		for range 4 { // at four places of a period, of 32 ms
			for i := range brief {
				go func() {
					places[i].Wait(&brief[i], wait.Options{Burst: crowdBurst, Crowd: &crowd})
					again <- i
				}()
			}
			synctest.Wait()
			<-time.After(20 * time.Millisecond)
			if n := looks(); n == alone {
				t.Error("bursts beside some that have begun to sleep")
			}
			for i := range brief {
				brief[i].n.Store(1)
				places[i].Wake()
				<-again
				brief[i].n.Store(0)
			}
			if n := looks(); n != alone {
				t.Error("no bursts when these have left")
			}
			<-time.After(20 * time.Millisecond)
		}
		close(stop)
		for range sleepers {
			<-again
		}
		if !crowd.Empty() {
			t.Error("somebody is left in the crowd")
		}
	})
}
