package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestHighIsNeverBelowQueued, wherever the events wait.
func TestHighIsNeverBelowQueued(t *testing.T) {
	ways := map[string]func(t *testing.T, d *event.Dispatcher[int]){
		"a stopped channel": func(t *testing.T, d *event.Dispatcher[int]) {
			d.C()
			for ev := range 3 {
				post(t, d, ev)
				synctest.Wait()
			}
			d.StopChan()
		},
		"PutBack": func(t *testing.T, d *event.Dispatcher[int]) {
			event.ProviderOf(d).PutBack([]int{1, 2, 3})
		},
		"behind sources": func(t *testing.T, d *event.Dispatcher[int]) {
			src := attach(t, d)
			src.inDrain = func() { // what follows the sources is queued when the drain ends
				src.inDrain = nil
				for ev := range 3 {
					event.ProviderOf(d).PutAfterSources(&ev, false)
				}
				if s := d.Stats(); s.Queued != 3 || s.High != 3 {
					t.Errorf("inside the drain: %+v", s)
				}
			}
			event.ProviderOf(d).Pump()
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := event.New[int](event.Config{})
				defer d.Close()
				way(t, d)
				if s := d.Stats(); s.Queued != 3 || s.High != 3 {
					t.Errorf("%+v", s)
				}
				post(t, d, 4)
				if s := d.Stats(); s.Queued != 4 || s.High != 4 {
					t.Errorf("with one more: %+v", s)
				}
			})
		})
	}
}
