package interleave

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// Report is what a walk found.
type Report struct {
	// Runs is the number of runs, Pruned the number of those that ended at a known state.
	// States is the number of states (0 without Run.State).
	Runs, Pruned, States int
	// Err is the first failure, with the steps that led to it.
	Err error
}

func (r Report) String() string {
	return fmt.Sprintf("%d runs, %d of them cut short at one of %d known states", r.Runs, r.Pruned, r.States)
}

// choice is a point of the run at which several goroutines could continue.
type choice struct {
	ready []int
	pick  int
}

// Walk calls build for every run and drives the run through an order of steps that was
// not tried before, until all have been tried or one fails. A run must behave the same
// whenever its order is the same.
func Walk(t *testing.T, build func(*Run)) (rep Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[string]bool)
		var path []choice
		for {
			r := new(Run)
			build(r)
			rep.Runs++
			var pruned bool
			path, pruned, rep.Err = r.drive(path, seen)
			if r.finally != nil {
				r.finally()
			}
			if pruned {
				rep.Pruned++
			}
			for len(path) > 0 && path[len(path)-1].pick+1 == len(path[len(path)-1].ready) {
				path = path[:len(path)-1]
			}
			if rep.Err != nil || len(path) == 0 {
				break
			}
			path[len(path)-1].pick++
		}
		rep.States = len(seen)
	})
	return rep
}

// drive makes one run: along path first, then always the first choice, which
// it adds to the path.
func (r *Run) drive(path []choice, seen map[string]bool) (_ []choice, pruned bool, err error) {
	all := r.start()
	for depth := 0; ; depth++ {
		synctest.Wait()
		ready := r.ready()
		if len(ready) == 0 {
			break
		}
		switch {
		case depth == len(path):
			if key := r.key(); key != "" {
				if seen[key] {
					r.finish(all)
					return path, true, nil
				}
				seen[key] = true
			}
			path = append(path, choice{ready: ready})
		case !slices.Equal(ready, path[depth].ready):
			err = errors.New("the same steps led to another state: the scenario is not deterministic")
			r.finish(all)
			return path, false, r.explain(err)
		}
		r.let(path[depth].ready[path[depth].pick])
	}
	return path, false, r.ended(all)
}

// ended is called when no goroutine can continue. It returns an error if one is parked, or if the
// run's check fails.
func (r *Run) ended(all *sync.WaitGroup) (err error) {
	if parked := r.parked(); len(parked) > 0 {
		err = errors.New("nobody can go on, parked: " + strings.Join(parked, ", "))
		if r.idle != nil {
			err = r.idle()
		} else if r.release == nil {
			panic(r.explain(err)) // the run cannot be ended, so report the reason here
		}
		r.finish(all)
	} else if all.Wait(); r.check != nil {
		err = r.check()
	}
	return r.explain(err)
}

// explain adds the order of steps to an error.
func (r *Run) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\nafter\n\t%s", err, r.order())
}

// goroutineID reads the calling goroutine's number from its stack trace: Go offers no other
// way.
func goroutineID() uint64 {
	var buf [64]byte
	s := strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine ")
	s, _, _ = strings.Cut(s, " ")
	id, _ := strconv.ParseUint(s, 10, 64)
	return id
}
