package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// The goroutine of a channel may park only when the sources are empty. While events are queued, those of the sources pass

func TestChannelTakesMoreThanTheQueueHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 4})
		src := attach(t, d)
		ch := d.C()
		defer d.StopChan()
		synctest.Wait()
		post(t, d, 1, 2, 3, 4)
		synctest.Wait()
		src.add(false, 5) // the channel is full: the goroutine stands there
		synctest.Wait()
		src.add(true, 6, 7)
		src.add(false, 8, 9, 10)
		event.ProviderOf(d).Pump()
		for want := 1; want <= 10; want++ {
			select {
			case got := <-ch:
				if got != want {
					t.Errorf("%d came; want %d", got, want)
				}
			default:
				t.Errorf("the channel is empty in front of %d; the source holds %d events", want, src.held())
			}
			synctest.Wait()
		}
	})
}

func TestBatchesTakeMoreThanTheQueueHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 4})
		src := attach(t, d)
		batches := d.Batches(event.BatchConfig{})
		defer d.StopChan()
		synctest.Wait()
		src.add(false, 1) // its batch is on offer
		synctest.Wait()
		src.add(true, 2, 3, 4, 5, 6, 7, 8, 9)
		src.add(false, 10)
		event.ProviderOf(d).Pump()
		for want := 1; want <= 10; {
			select {
			case b := <-batches:
				for _, got := range b.Events {
					if got != want {
						t.Errorf("%d came; want %d", got, want)
					}
					want++
				}
				b.Release()
			default:
				t.Fatalf("there is no batch in front of %d; the source holds %d events", want, src.held())
			}
			synctest.Wait()
		}
	})
}

// TestSetHearsOfWhatTheQueueHasNoRoomFor: arming moves what the source holds to the queue. What is left there was announced by
// nobody, even if all that was moved is quiet.
func TestSetHearsOfWhatTheQueueHasNoRoomFor(t *testing.T) {
	d := event.New[int](event.Config{Depth: 2})
	src := attach(t, d)
	src.add(true, 1, 2)
	src.add(false, 3)
	set := event.NewSet()
	if err := set.Add(d); err != nil {
		t.Fatal(err)
	}
	if m, err := set.WaitTimeout(0); m != d {
		t.Errorf("%v is ready: %v", m, err)
	}
	wantPoll(t, d, 1, 2, 3)
}
