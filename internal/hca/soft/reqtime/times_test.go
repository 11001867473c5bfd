package reqtime_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/reqtime"
)

// done records a success, and returns how long that request took.
func done(times *reqtime.Times, head uint64, empty bool) time.Duration {
	var before time.Duration
	if h := times.Read()[hca.OpSend]; h != nil {
		before = h.Sum
	}
	times.Done(head, empty, hca.OpSend)
	return times.Read()[hca.OpSend].Sum - before
}

// TestEachRequestHasItsOwnTime: those in the queue, which grows meanwhile, and one that was carried out at once.
func TestEachRequestHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times reqtime.Times
		for i := range uint64(3) {
			times.Begin()
			slots := 2
			if i == 2 {
				slots = 4
			}
			times.Queued(0, i+1, slots)
			<-time.After(10 * time.Millisecond)
		}
		for head, want := range []time.Duration{30, 20, 10} {
			if took := done(&times, uint64(head), false); took != want*time.Millisecond {
				t.Errorf("request %d took %v, want %d ms", head, took, want)
			}
		}
		times.Begin()
		<-time.After(time.Millisecond)
		if took := done(&times, 3, true); took != time.Millisecond {
			t.Errorf("a request that was not queued took %v", took)
		}
		if h := times.Read()[hca.OpSend]; h.Count != 4 {
			t.Errorf("%d requests", h.Count)
		}
	})
}

// TestTheInboxKeepsTheTimeOfThePost: not that at which the request was queued.
func TestTheInboxKeepsTheTimeOfThePost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times reqtime.Times
		times.Begin()
		times.Inboxed()
		<-time.After(40 * time.Millisecond)
		times.Begin() // another goroutine
		times.FromInbox(0)
		times.Queued(0, 1, 2)
		times.Emptied()
		times.Queued(0, 2, 2)
		if took := done(&times, 0, false); took != 40*time.Millisecond {
			t.Errorf("the request from the inbox took %v", took)
		}
		if took := done(&times, 1, false); took != 0 {
			t.Errorf("the request behind it took %v", took)
		}
	})
}

// TestOffIsNil: a queue that measures nothing has no times.
func TestOffIsNil(t *testing.T) {
	var off *reqtime.Times
	off.Begin()
	off.Inboxed()
	off.FromInbox(0)
	off.Emptied()
	off.Queued(0, 1, 2)
	for _, h := range off.Read() {
		if h != nil {
			t.Error("it has measured something")
		}
	}
}
