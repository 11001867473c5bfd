package park

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/wait"
)

// nearAwait begins an Await that sleeps on its thread, and returns its queue and result.
func nearAwait(t *testing.T, look func(q *nearQueue, round int) bool) (q *nearQueue, result chan error) {
	t.Helper()
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("no owner sleeps on the only processor")
	}
	p, _, _ := newPark(t, (*Park).OpenNear)
	q, result = p.queue.(*nearQueue), make(chan error, 1)
	looked, round := make(chan struct{}, 100), 0
	go func() {
		result <- q.Await(func() bool { round++; looked <- struct{}{}; return look(q, round) })
	}()
	<-looked
	return q, result
}

// TestASleepOnTheThreadEndsInGosPoller when nothing has arrived in time: the queue watches the descriptor again, and an
// interruption reaches the owner there.
func TestASleepOnTheThreadEndsInGosPoller(t *testing.T) {
	inPoller := make(chan struct{}, 100)
	q, result := nearAwait(t, func(q *nearQueue, _ int) bool {
		if !q.near.Load() { // a signal of Go's may end a sleep on the thread early, and then there are several
			inPoller <- struct{}{}
		}
		return false
	})
	<-inPoller
	q.mu.Lock()
	watched := q.watched
	q.mu.Unlock()
	if !watched {
		t.Error("the queue does not watch the descriptor")
	}
	q.Interrupt()
	if err := <-result; err != wait.ErrInterrupted {
		t.Error(err)
	}
}

// TestTheThreadSleepsOnBehindAnArrival that the owner does not wait for. It does so for a few of them.
func TestTheThreadSleepsOnBehindAnArrival(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("no owner sleeps on the only processor")
	}
	p, _, peer := newPark(t, (*Park).OpenNear)
	q, near := p.queue.(*nearQueue), 0
	write(t, peer) // is never read: the thread wakes at once
	if err := q.Await(func() bool {
		if q.near.Load() {
			near++
			return false
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if near != nearMost+1 {
		t.Errorf("%d looks on the thread, want %d", near, nearMost+1)
	}
}

// TestASleepOnTheThreadIsRare while nothing arrives during such sleeps.
func TestASleepOnTheThreadIsRare(t *testing.T) {
	q, result := nearAwait(t, func(_ *nearQueue, round int) bool { return round == 2 }) // the first in the poller
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	near := 0
	for range 100 {
		first := true
		if err := q.Await(func() bool {
			if q.near.Load() {
				near++
			}
			defer func() { first = false }()
			return !first || !q.near.Load()
		}); err != nil {
			t.Fatal(err)
		}
	}
	if near == 0 || near > 20 {
		t.Errorf("%d of 100 sleeps", near)
	}
}

// TestAnInterruptionIsKept until it is cleared, wherever the owner sleeps.
func TestAnInterruptionIsKept(t *testing.T) {
	q, result := nearAwait(t, func(*nearQueue, int) bool { return false })
	q.Interrupt()
	if err := <-result; err != wait.ErrInterrupted {
		t.Fatal(err)
	}
	if err := q.Await(func() bool { return true }); err != wait.ErrInterrupted {
		t.Errorf("%v, want ErrInterrupted", err)
	}
	q.Clear()
	if err := q.Await(func() bool { return true }); err != nil {
		t.Error(err)
	}
}

// TestOneProcessorIsLeft to the other goroutines.
func TestOneProcessorIsLeft(t *testing.T) {
	most := int32(runtime.GOMAXPROCS(0))
	threads.Add(most - 1)
	defer threads.Add(1 - most)
	p, _, _ := newPark(t, (*Park).OpenNear)
	q := p.queue.(*nearQueue)
	near := false
	if err := q.Await(func() bool { near = q.near.Load(); return true }); err != nil || near {
		t.Errorf("%v; near: %v", err, near)
	}
}
