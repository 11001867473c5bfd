package event_test

import (
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// TestALossBehindRoomIsReported, also if it was a source that has used the room.
func TestALossBehindRoomIsReported(t *testing.T) {
	reports := 0
	d := event.New[int](event.Config{Depth: 2, Overflow: func(error) { reports++ }})
	defer d.Close()
	src, p := attach(t, d), event.ProviderOf(d)
	lose := func(want int) {
		t.Helper()
		for range 2 { // of losses without room between them, one is reported
			if ev := 9; p.Put(&ev, false) {
				t.Fatal("there was room")
			}
		}
		if reports != want {
			t.Fatalf("%d reports, want %d", reports, want)
		}
	}
	post(t, d, 1, 2)
	lose(1)
	wantPoll(t, d, 1, 2)
	src.add(false, 3, 4)
	p.Pump()
	lose(2)
	wantPoll(t, d, 3, 4)
}
