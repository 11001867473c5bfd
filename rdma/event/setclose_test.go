package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestNotifyBehindStopChan: what the channel's goroutine holds is on the list again, and that is news.
func TestNotifyBehindStopChan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Name: "d"})
		defer d.Close()
		set := newSet(t, d)
		set.C()
		post(t, d, 1)
		synctest.Wait() // the goroutine has taken d, and nobody receives
		called := make(chan event.Member, 1)
		set.Notify(func(m event.Member) { called <- m })
		set.StopChan()
		synctest.Wait()
		select {
		case m := <-called:
			if m != event.Member(d) {
				t.Error("called for another member")
			}
		default:
			t.Error("not called, although a member is ready")
		}
	})
}
