package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// keeper is a source that keeps requests back during a backlog.
type keeper struct {
	*source
	pushes int
}

func (k *keeper) Push() { k.pushes++ }

func attachKeeper(t *testing.T, d *event.Dispatcher[int]) (*keeper, event.Provider[int]) {
	p := event.ProviderOf(d)
	k := &keeper{source: newSource(d)}
	if err := p.Attach(k); err != nil {
		t.Fatal(err)
	}
	return k, p
}

// TestAChannelHasABacklog: from the second event that waits until the program has taken the last. The program's
// next look is a push.
func TestAChannelHasABacklog(t *testing.T) {
	for _, n := range []int{1, 3, 100, 300} { // less and more than the channel, a drain and the queue hold
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{})
			defer d.Close()
			k, p := attachKeeper(t, d)
			d.C()
			synctest.Wait()
			if p.Backlog() {
				t.Fatal("a backlog of nothing")
			}
			k.add(false, make([]int, n)...)
			synctest.Wait()
			for i := range n {
				if !p.Backlog() {
					t.Fatalf("%d of %d events are taken, and there is no backlog", i, n)
				}
				<-d.C()
				synctest.Wait()
			}
			if p.Backlog() {
				t.Fatal("a backlog when all is taken")
			}
			k.pushes = 0
			d.C()
			if k.pushes != 1 {
				t.Fatalf("%d pushes by a look", k.pushes)
			}
			k.add(false, 1)
			synctest.Wait()
			if d.C(); k.pushes != 1 {
				t.Fatal("a push by a look that finds something")
			}
		})
	}
}

// TestBatchesHaveABacklog: while another batch waits for the program.
func TestBatchesHaveABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		defer d.Close()
		k, p := attachKeeper(t, d)
		batches := d.Batches(event.BatchConfig{Size: 2})
		k.add(false, 1, 2, 3)
		synctest.Wait()
		for i, want := range []bool{true, true, false} {
			if got := p.Backlog(); got != want {
				t.Fatalf("after %d batches the backlog is %v", i, got)
			}
			if i < 2 {
				(<-batches).Release()
				synctest.Wait()
			}
		}
	})
}

// TestNoBacklogBelowAThreshold: events that make no batch yet keep nothing back, since the others are perhaps the
// answers to what is kept back. A batch that waits for the program is a backlog.
func TestNoBacklogBelowAThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		defer d.Close()
		k, p := attachKeeper(t, d)
		batches := d.Batches(event.BatchConfig{Threshold: 4})
		k.add(false, 1, 2, 3)
		synctest.Wait()
		if d.Len() != 3 || p.Backlog() {
			t.Fatalf("%d events are queued, backlog %v", d.Len(), p.Backlog())
		}
		k.add(false, 4)
		synctest.Wait()
		if !p.Backlog() {
			t.Fatal("no backlog with a batch")
		}
		(<-batches).Release()
		synctest.Wait()
		if p.Backlog() {
			t.Fatal("a backlog when all is taken")
		}
	})
}

// TestNoBacklogWithoutAChannel: polls and waits are looks, and the adapter sees them.
func TestNoBacklogWithoutAChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		defer d.Close()
		k, p := attachKeeper(t, d)
		k.add(false, 1, 2, 3)
		p.Pump()
		if p.Backlog() {
			t.Fatal("a backlog without a channel")
		}
		d.C()
		synctest.Wait()
		if d.StopChan(); p.Backlog() {
			t.Fatal("a backlog of a channel that was stopped")
		}
		if err := p.Detach(k); err != nil {
			t.Fatal(err)
		}
		k.pushes = 0
		d.C()
		if d.C(); k.pushes != 0 {
			t.Fatal("a push to a source that is gone")
		}
	})
}
