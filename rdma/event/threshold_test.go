package event_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

// wantBatch fails unless a batch of these events, with more behind them, is there now.
func wantBatch(t testing.TB, c <-chan *event.Batch[int], more int, want ...int) {
	t.Helper()
	synctest.Wait()
	select {
	case b := <-c:
		if b == nil || !slices.Equal(b.Events, want) || b.More != more {
			t.Fatalf("batch %+v, want %v and %d more", b, want, more)
		}
		b.Release()
	default:
		t.Fatalf("no batch, want %v", want)
	}
}

func noBatch(t testing.TB, c <-chan *event.Batch[int]) {
	t.Helper()
	synctest.Wait()
	select {
	case b := <-c:
		t.Fatalf("batch %+v, want none", b)
	default:
	}
}

// arrivals are the ways in which an event comes to a dispatcher.
var arrivals = map[string]func(t testing.TB, d *event.Dispatcher[int]) func(...int){
	"posted": func(t testing.TB, d *event.Dispatcher[int]) func(...int) {
		return func(evs ...int) { post(t, d, evs...) }
	},
	"in the source": func(t testing.TB, d *event.Dispatcher[int]) func(...int) {
		s := attach(t, d)
		return func(evs ...int) { s.add(false, evs...) }
	},
}

func TestABatchWaitsForItsThreshold(t *testing.T) {
	for name, by := range arrivals {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := event.New[int](event.Config{})
				defer d.Close()
				add := by(t, d)
				c := d.Batches(event.BatchConfig{Size: 3, Threshold: 3})
				add(1)
				add(2)
				<-time.After(time.Hour)
				noBatch(t, c)
				add(3)
				wantBatch(t, c, 0, 1, 2, 3)
				add(4, 5)
				noBatch(t, c)
				add(6, 7)
				wantBatch(t, c, 1, 4, 5, 6)
				noBatch(t, c)
			})
		})
	}
}

func TestABatchTellsHowManyMoreThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		defer d.Close()
		post(t, d, 1, 2, 3, 4, 5)
		c := d.Batches(event.BatchConfig{Size: 2})
		wantBatch(t, c, 3, 1, 2)
		wantBatch(t, c, 1, 3, 4)
		wantBatch(t, c, 0, 5)
	})
}

func TestNoEventOfABatchWaitsForLongerThanItsTime(t *testing.T) {
	for name, by := range arrivals {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := event.New[int](event.Config{})
				defer d.Close()
				add := by(t, d)
				c := d.Batches(event.BatchConfig{Size: 10, Threshold: 10, Within: time.Second})
				for round := range 3 {
					// The time begins with the first event, not with the wait for it.
					<-time.After(900 * time.Millisecond)
					add(3 * round)
					<-time.After(600 * time.Millisecond)
					add(3*round+1, 3*round+2)
					<-time.After(399 * time.Millisecond)
					noBatch(t, c)
					<-time.After(time.Millisecond)
					wantBatch(t, c, 0, 3*round, 3*round+1, 3*round+2)
				}
				add(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
				wantBatch(t, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) // at once
			})
		})
	}
}

func TestWhatIsBelowTheThresholdStaysWhenTheChannelStops(t *testing.T) {
	d := event.New[int](event.Config{})
	defer d.Close()
	post(t, d, 1, 2)
	c := d.Batches(event.BatchConfig{Threshold: 3})
	wantErr(t, d.Err(), event.ErrState)
	if d.Batches(event.BatchConfig{Threshold: 3}) != c {
		t.Error("a second channel of the same configuration")
	}
	if _, ok := <-d.Batches(event.BatchConfig{Threshold: 2}); ok {
		t.Error("a batch of another configuration beside the first")
	}
	d.StopChan()
	if _, ok := <-c; ok {
		t.Error("a batch below the threshold")
	}
	wantErr(t, d.Err(), nil)
	wantPoll(t, d, 1, 2)
}

func TestAThresholdBeyondTheQueueIsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 2})
		defer d.Close()
		c := d.Batches(event.BatchConfig{Threshold: 100})
		post(t, d, 1)
		noBatch(t, c)
		post(t, d, 2)
		wantBatch(t, c, 0, 1, 2)
	})
}
