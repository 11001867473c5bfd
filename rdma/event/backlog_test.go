package event_test

import (
	"testing"
	"testing/synctest"
	"time"

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
			if p.Running().Load() {
				t.Fatal("a channel runs before it is begun")
			}
			d.C()
			synctest.Wait()
			if !p.Running().Load() {
				t.Fatal("no channel runs")
			}
			defer func() {
				if d.StopChan(); p.Running().Load() {
					t.Fatal("a channel runs that is stopped")
				}
			}()
			if p.Backlog(false) || !p.Forwards() {
				t.Fatal("a backlog of nothing, or nothing is forwarded")
			}
			k.add(false, make([]int, n)...)
			synctest.Wait()
			for i := range n {
				if !p.Backlog(false) {
					t.Fatalf("%d of %d events are taken, and there is no backlog", i, n)
				}
				<-d.C()
				synctest.Wait()
			}
			if p.Backlog(false) {
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
			if got := p.Backlog(false); got != want {
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
		if d.Len() != 3 || p.Backlog(false) || p.Forwards() {
			t.Fatalf("%d events are queued, backlog %v, forwarded %v", d.Len(), p.Backlog(false), p.Forwards())
		}
		k.add(false, 4)
		synctest.Wait()
		if !p.Backlog(false) {
			t.Fatal("no backlog with a batch")
		}
		(<-batches).Release()
		synctest.Wait()
		if p.Backlog(false) {
			t.Fatal("a backlog when all is taken")
		}
	})
}

// TestSeveralEventsAreABacklog: a program that has taken several events at once looks again when it is done with
// them. One event is none, and only sources with many connections ask for it.
func TestSeveralEventsAreABacklog(t *testing.T) {
	var buf [2]int
	for name, take := range map[string]func(d *event.Dispatcher[int]){
		"Poll": func(d *event.Dispatcher[int]) { d.Poll(buf[:]) },
		"WaitBatch": func(d *event.Dispatcher[int]) {
			if _, err := d.WaitBatchTimeout(time.Second, buf[:]); err != nil {
				t.Error(err)
			}
		},
		"Wait": func(d *event.Dispatcher[int]) { // takes one, and leaves the other in the queue
			if _, _, err := d.Wait(t.Context(), 1); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := event.New[int](event.Config{})
				defer d.Close()
				k, p := attachKeeper(t, d)
				check := func(when string, want bool) {
					t.Helper()
					if p.Backlog(false) || p.Backlog(true) != want {
						t.Fatalf("%s: backlog %v and with batches %v, want false and %v", when, p.Backlog(false), p.Backlog(true), want)
					}
				}
				check("nothing taken", false)
				k.add(false, 1, 2)
				check("nothing taken yet", false)
				take(d)
				check("two events", true)
				d.Poll(nil)
				check("another look", false)
				d.Poll(buf[:])
				k.add(false, 3)
				take(d)
				check("a single event", false)
			})
		})
	}
}

// TestABatchIsABacklogUntilItsRelease: also for a program that releases late; one that releases none shows none.
func TestABatchIsABacklogUntilItsRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		defer d.Close()
		k, p := attachKeeper(t, d)
		batches := d.Batches(event.BatchConfig{Size: 2})
		get := func(events ...int) *event.Batch[int] {
			k.add(false, events...)
			synctest.Wait()
			b := <-batches
			synctest.Wait()
			if len(b.Events) != len(events) {
				t.Fatalf("%d events", len(b.Events))
			}
			return b
		}
		first, second := get(1, 2), get(3, 4)
		k.pushes = 0
		if first.Release(); !p.Backlog(false) || k.pushes != 1 {
			t.Fatalf("one of two batches is released: backlog %v, %d pushes", p.Backlog(false), k.pushes)
		}
		if second.Release(); p.Backlog(false) || k.pushes != 2 {
			t.Fatalf("both are released: backlog %v, %d pushes", p.Backlog(false), k.pushes)
		}
		if one := get(5); p.Backlog(false) {
			t.Fatal("a batch of one event is a backlog")
		} else if one.Release(); k.pushes != 3 {
			t.Fatal("its release is no push")
		}
		for i := range 6 {
			get(6, 7)
			if want := i < 4; p.Backlog(false) != want {
				t.Fatalf("%d batches are not released: backlog %v", i+1, !want)
			}
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
		if p.Backlog(false) || p.Forwards() {
			t.Fatal("a backlog without a channel")
		}
		d.C()
		synctest.Wait()
		if d.StopChan(); p.Backlog(false) {
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
