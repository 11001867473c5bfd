package event_test

import (
	"slices"
	"testing"
	"testing/synctest"
)

// TestAWaiterThatParksAtSomeMembers tells the others that it does not sleep there: another waiter had their parkers, and
// has said that it would be back before it could know of this one.
func TestAWaiterThatParksAtSomeMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		a, x := newBerth(t, "a", &log)
		b, y := newBerth(t, "b", &log)
		s := newSet(t, a, b)
		x.full = true // so that b is the host of the first
		first := setWait(s)
		x.full = false
		x.lacks = func() {
			y.add(false, 1)
			if m := <-first; m != b {
				t.Errorf("the first waiter got %v", m)
			}
			if !slices.Contains(log, "b parted, alone true") {
				t.Errorf("said %q", log)
			}
			log = nil
		}
		second := setWait(s)
		if !slices.Contains(log, "b elsewhere") {
			t.Errorf("said %q: nobody notices at once what arrives for b", log)
		}
		x.add(false, 2)
		synctest.Wait()
		if len(second) != 1 || <-second != a {
			t.Error("the second waiter sleeps on")
		}
	})
}
