package event_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestABatchGetsWhatArrivesBeforeItIsReceived: the goroutine of the channel does not wait until the program receives one event
// to take the next ones.
func TestABatchGetsWhatArrivesBeforeItIsReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 16})
		defer d.Close()
		ch := d.Batches(event.BatchConfig{Size: 4})
		for i := range 10 {
			post(t, d, i)
			synctest.Wait()
		}
		for _, want := range [][]int{{0, 1, 2, 3}, {4}, {5, 6, 7, 8}, {9}} { // the second one was taken, and had no room in the first
			b := <-ch
			if !slices.Equal(b.Events, want) {
				t.Errorf("a batch of %v, want %v", b.Events, want)
			}
			b.Release()
			synctest.Wait()
		}
	})
}

// TestStopChanQueuesTheBatchesAgain: the one in the channel, and the one for which there is no room in it.
func TestStopChanQueuesTheBatchesAgain(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7} {
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{Depth: 16})
			defer d.Close()
			ch := d.Batches(event.BatchConfig{Size: 2})
			var want []int
			for i := range n {
				post(t, d, i)
				want = append(want, i)
				synctest.Wait()
			}
			d.StopChan()
			if b, ok := <-ch; ok {
				t.Errorf("the channel still has %v", b.Events)
			}
			var got [16]int
			if k := d.Poll(got[:]); !slices.Equal(got[:k], want) {
				t.Errorf("the queue has %v, want %v", got[:k], want)
			}
		})
	}
}

// TestAJoinedBatchCounts: a batch that became one of several events is one when it is released, too.
func TestAJoinedBatchCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 16})
		defer d.Close()
		p := event.ProviderOf(d)
		ch := d.Batches(event.BatchConfig{})
		for i := range 3 {
			post(t, d, i)
			synctest.Wait()
		}
		if !p.Backlog(false) {
			t.Error("a batch waits, and there is no backlog")
		}
		b := <-ch
		if !p.Backlog(false) {
			t.Error("the program has three events, and there is no backlog")
		}
		if b.Release(); p.Backlog(false) {
			t.Error("the program has nothing, and there is a backlog")
		}
	})
}
