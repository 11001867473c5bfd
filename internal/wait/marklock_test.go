package wait_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// job is work that any holder of the lock does for all.
type job struct {
	r               *interleave.Run
	l               wait.MarkLock
	asked, done     int
	inside, clashes int
}

func walkJobs(t *testing.T, build func(j *job)) {
	t.Helper()
	var now *interleave.Run
	defer wait.SetHook(func(_ any, step string) { now.Step(step) })()
	rep := interleave.Walk(t, func(r *interleave.Run) {
		now = r
		j := &job{r: r}
		r.State(func() string {
			return fmt.Sprint(j.asked, j.done, j.inside, j.clashes, &j.l)
		})
		build(j)
		r.Check(func() error {
			if j.done != j.asked || j.clashes != 0 || j.l.Word() != 0 {
				return fmt.Errorf("done %d of %d, %d at once, word %b", j.done, j.asked, j.clashes, j.l.Word())
			}
			return nil
		})
	})
	t.Log(rep)
	if rep.Err != nil {
		t.Fatal(rep.Err)
	}
	if rep.Runs < 20 {
		t.Fatal("the walk does not reach what it should")
	}
}

func (j *job) work() {
	if j.inside++; j.inside > 1 {
		j.clashes++
	}
	j.r.Step("work")
	j.done = j.asked
	j.r.Step("worked")
	j.inside--
}

func (j *job) workAndUnlock() {
	j.work()
	for !j.l.Unlock() {
		j.work()
	}
}

func (j *job) ask() {
	j.asked++
	j.r.Step("lock or mark")
	if j.l.LockOrMark() {
		j.workAndUnlock()
	}
}

func TestNoMarkIsLost(t *testing.T) {
	walkJobs(t, func(j *job) {
		j.r.Go("a", j.ask)
		j.r.Go("b", j.ask)
		j.r.Go("c", j.ask)
	})
}

func TestNoMarkAndNoSleeperIsLost(t *testing.T) {
	walkJobs(t, func(j *job) {
		j.r.Go("a", j.ask)
		j.r.Go("b", j.ask)
		j.r.Go("blocks", func() { j.l.Lock(); j.workAndUnlock() })
	})
}

func TestMarkFromInsideTheLock(t *testing.T) {
	var l wait.MarkLock
	l.Lock()
	for range 2 {
		if l.LockOrMark() {
			t.Fatal("taken twice")
		}
	}
	if l.TryLock() {
		t.Fatal("taken twice")
	}
	if l.Unlock() {
		t.Fatal("the mark was not seen")
	}
	if !l.Unlock() {
		t.Fatal("the mark was seen twice")
	}
	if !l.TryLock() || !l.Unlock() {
		t.Fatal("not let go")
	}
}

func TestMarkLockExcludes(t *testing.T) {
	const each = 5000
	var l wait.MarkLock
	var locked, asked int // guarded by l
	unlock := func() {
		for !l.Unlock() {
			asked++
		}
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range each {
				l.Lock()
				locked++
				unlock()
			}
		})
		wg.Go(func() {
			for range each {
				if l.LockOrMark() {
					asked++
					unlock()
				}
			}
		})
	}
	wg.Wait()
	if locked != 3*each {
		t.Fatalf("counted %d, want %d", locked, 3*each)
	}
	// A goroutine that leaves a mark and then finds the lock free may repeat work that
	// a holder, which saw the mark, has just done.
	if asked == 0 || asked > 2*3*each {
		t.Fatalf("%d marks served of %d", asked, 3*each)
	}
}
