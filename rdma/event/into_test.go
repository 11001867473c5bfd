package event_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

func TestWaitTimeoutInto(t *testing.T) {
	d := event.New[int](event.Config{})
	defer d.Close()
	got := 7
	if more, err := d.WaitTimeoutInto(&got, time.Millisecond, 1); !errors.Is(err, event.ErrTimeout) || more != 0 {
		t.Fatal(more, err)
	}
	post(t, d, 1)
	post(t, d, 2)
	if more, err := d.WaitTimeoutInto(&got, 0, 2); err != nil || more != 1 || got != 1 {
		t.Fatal(got, more, err)
	}
}

// TestNoBurst: without a burst a quiet event that comes while somebody waits is left
// alone; the source counts how often it was looked at.
func TestNoBurst(t *testing.T) {
	looks := func(burst int) (drains int) {
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{})
			defer d.Close()
			s := attach(t, d)
			d.SetBurst(burst)
			var got int
			if _, err := d.WaitTimeoutInto(&got, time.Second, 1); !errors.Is(err, event.ErrTimeout) {
				t.Fatal(err)
			}
			drains = s.drains
		})
		return drains
	}
	if with, without := looks(32), looks(-1); with < 32 || without > 8 {
		t.Fatalf("%d looks with a burst of 32, %d without one", with, without)
	}
}
