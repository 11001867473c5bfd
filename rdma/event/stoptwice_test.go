package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestEveryStopWaitsForTheGoroutine of the channel, also one that comes when the channel is closed already, and Close.
func TestEveryStopWaitsForTheGoroutine(t *testing.T) {
	for name, stop := range map[string]func(d *event.Dispatcher[int]){
		"StopChan": func(d *event.Dispatcher[int]) { d.StopChan() },
		"Close":    func(d *event.Dispatcher[int]) { d.Close() },
	} {
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{})
			defer d.Close()
			src := attach(t, d)
			s := newSet(t, d)
			d.C()
			synctest.Wait()
			goOn := make(chan struct{})
			src.inDrain = func() {
				if d.State()&event.Channel == 0 { // the goroutine tells the set what is left
					<-goOn
				}
			}
			go d.StopChan()
			synctest.Wait()
			stopped := make(chan struct{})
			go func() { stop(d); close(stopped) }()
			synctest.Wait()
			select {
			case <-stopped:
				t.Errorf("%s has returned, and the goroutine runs", name)
			default:
			}
			close(goOn)
			synctest.Wait()
			s.Close()
		})
	}
}
