package rdmatest

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestALateQueueIsSignalled, also if nothing else happens in the world.
func TestALateQueueIsSignalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		w.Late(time.Second, Which{})
		w.Settle()
		<-time.After(time.Millisecond)
		told := make(chan bool, 1)
		q := &worldCQ{a: &worldAdapter{h: &Host{w: w}}, name: "q", notify: func() { told <- true }, armed: true}
		if w.lateness(q) == 0 {
			t.Error("it is not late")
		}
		select {
		case <-told:
		case <-time.After(2 * time.Second):
			t.Error("it stays late")
		}
	})
}
