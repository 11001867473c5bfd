package core

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestALateNotificationIsMadeAgain: the goroutine that notifies the consumer loses its processor meanwhile.
// Entries that others make then notify the consumer as well, but not each of them, and none that comes later.
func TestALateNotificationIsMadeAgain(t *testing.T) {
	var told atomic.Int64
	late, back := make(chan struct{}), make(chan struct{})
	c, b := brought(t, func() {
		if told.Add(1) == 1 {
			close(late)
			<-back
		}
	})
	wcs := make([]hca.WC, 4)
	for round, want := range []int64{2, 3} { // in the second round nobody is late
		if err := c.Arm(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			b.bring(1)
			close(done)
		}()
		if round == 0 {
			<-late
			for range lateEntries {
				b.bring(2)
				c.take(wcs)
			}
			if n := told.Load(); n != 1 {
				t.Errorf("%d notifications before any is late", n)
			}
			b.bring(3)
			close(back)
		}
		<-done
		b.bring(4)
		if n := told.Load(); n != want {
			t.Errorf("round %d: %d notifications, want %d", round, n, want)
		}
		for c.take(wcs) > 0 {
		}
	}
}

// TestNoNotificationInsidePoll: a consumer that polls while it is notified is not notified by the entries that
// its own polls bring. It might hold a lock in Poll that its notification takes.
func TestNoNotificationInsidePoll(t *testing.T) {
	var c *CQ
	polls, told, inside := 0, 0, false
	notify := func() {
		if inside {
			t.Fatal("notified inside Poll")
		}
		if told++; told > 1 {
			return
		}
		wcs := make([]hca.WC, 4)
		for range 4 * lateEntries {
			inside = true
			polls += c.Poll(wcs)
			inside = false
		}
	}
	q, b := brought(t, func() { notify() })
	c = q
	if err := c.Arm(); err != nil {
		t.Fatal(err)
	}
	b.bring(1)
	if told == 0 || polls < 3*lateEntries {
		t.Errorf("%d notifications, %d entries polled", told, polls)
	}
}
