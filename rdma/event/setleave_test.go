package event_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// leavers begin to wait for a set, and return what makes them leave it with nothing.
var leavers = map[string]func(s *event.Set) (leave func()){
	"waiter": func(s *event.Set) func() {
		ctx, cancel := context.WithCancel(background)
		go s.Wait(ctx)
		return cancel
	},
	"channel": func(s *event.Set) func() {
		s.C()
		return s.StopChan
	},
}

// TestALeaverPassesTheTriggerOn: the trigger has woken one that was about to leave, behind its last look. So another
// waiter is woken in its place.
func TestALeaverPassesTheTriggerOn(t *testing.T) {
	for name, begin := range leavers {
		synctest.Test(t, func(t *testing.T) {
			a, x := newBerth(t, "a", new([]string))
			b := event.New[int](event.Config{Name: "b"})
			defer b.Close()
			s := newSet(t, a, b)
			x.parts = func() { post(t, b, 1) }
			leave := begin(s)
			synctest.Wait()
			w := setWait(s)
			leave()
			synctest.Wait()
			if len(w) != 1 || <-w != b {
				t.Errorf("%s: b is ready, and the waiter that is left sleeps", name)
				s.Close()
			}
		})
	}
}
