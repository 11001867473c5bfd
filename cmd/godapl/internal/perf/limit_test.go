package perf

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPhaseDoesOneOperation: a phase that begins to run after its time does one operation
// all the same, and ends when its time is over.
func TestPhaseDoesOneOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, over, stop := limit{d: time.Millisecond}.begin()
		defer stop()
		<-time.After(time.Hour)
		if over.Load() {
			t.Error("the time was over before the first look")
		}
		<-time.After(time.Millisecond - 1)
		if over.Load() {
			t.Error("the time is over too early")
		}
		<-time.After(2)
		if synctest.Wait(); !over.Load() {
			t.Error("the time is not over")
		}
	})
}

// TestFirstLookIsNotOver: a goroutine that loses the processor within its first look still does
// one operation.
func TestFirstLookIsNotOver(t *testing.T) {
	over := &deadline{left: 1}
	over.over.Store(true) // as the timer does while the goroutine stands
	if over.Load() {
		t.Error("the time was over at the first look")
	}
	if !over.Load() {
		t.Error("the time is not over at the second look")
	}
	over.timer.Stop()
}

// TestPhaseByNumber: a number of operations is not limited in time.
func TestPhaseByNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, over, stop := limit{n: 7, d: time.Millisecond}.begin()
		defer stop()
		over.Load()
		<-time.After(time.Hour)
		if synctest.Wait(); n != 7 || over.Load() {
			t.Errorf("%d operations, over: %v", n, over.Load())
		}
	})
}
