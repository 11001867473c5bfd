package conns_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/conns"
)

// conn counts what it is asked and told.
type conn interface {
	Unpolled()
	Guarded() bool
}

type silent struct{ told int }

func (s *silent) Unpolled()   { s.told++ }
func (*silent) Guarded() bool { return false }

// announcer says when it is polled.
type announcer struct {
	of     *conns.List[conn]
	flag   atomic.Bool
	polled atomic.Bool

	told, asked int
}

func (*announcer) AnnouncesPolls() {}
func (a *announcer) Unpolled()     { a.polled.Store(false); a.told++ }
func (a *announcer) Guarded() bool { a.asked++; return !a.polled.Load() }

func (a *announcer) poll() {
	if !a.polled.Load() {
		a.polled.Store(true)
		a.of.Note(a, &a.flag)
	}
}

func announcers(n int) (l *conns.List[conn], all []*announcer) {
	l = new(conns.List[conn])
	for range n {
		all = append(all, &announcer{of: l})
		l.Add(all[len(all)-1])
	}
	return l, all
}

func told(all []*announcer) (n int) {
	for _, a := range all {
		n += a.told
		a.told = 0
	}
	return n
}

// TestThoseThatWerePolledAreTold and no others, if there are many: the time does not depend on how many are idle.
func TestThoseThatWerePolledAreTold(t *testing.T) {
	l, all := announcers(1000)
	if l.Unpolled(); told(all) != len(all) {
		t.Fatal("not all were told at first: some may have been polled while they were few")
	}
	if l.Unpolled(); told(all) != 0 {
		t.Error("some were told, and none was polled")
	}
	for range 3 {
		all[7].poll()
		all[8].poll()
		all[7].poll()
		l.Unpolled()
		if all[7].polled.Load() || all[8].polled.Load() {
			t.Fatal("a connection still counts as polled")
		}
		if n := told(all); n != 2 {
			t.Errorf("%d were told, want 2", n)
		}
	}
	all[9].poll()
	l.Remove(all[9])
	if l.Unpolled(); all[9].told != 0 {
		t.Error("a connection that has left was told")
	}
	var s silent
	l.Add(&s)
	l.Unpolled()
	if l.Unpolled(); s.told != 2 {
		t.Errorf("a connection that does not say when it is polled was told %d times of two", s.told)
	}
	l.Remove(&s)
	if l.Unpolled(); s.told != 2 {
		t.Error("it was told when it had left")
	}
}

// TestFewAreAllTold: they need not say that they are polled. What they did before there were many is not forgotten.
func TestFewAreAllTold(t *testing.T) {
	l, all := announcers(conns.Few)
	if l.Unpolled(); told(all) != conns.Few {
		t.Error("not all were told")
	}
	for range 2 { // also when they have been many before
		all[0].poll()
		more := &announcer{of: l}
		l.Add(more)
		if l.Unpolled(); all[0].polled.Load() {
			t.Error("a connection that was polled as one of few still counts as polled")
		}
		l.Remove(more)
		l.Unpolled()
	}
}

// TestGuardedAsksFew: whether a look may be left out is known without asking each of many.
func TestGuardedAsksFew(t *testing.T) {
	l, all := announcers(100)
	if l.Guarded() {
		t.Error("guarded, where some may have been polled while they were few")
	}
	if l.Unpolled(); !l.Guarded() {
		t.Error("not guarded, where none was polled")
	}
	if all[7].poll(); l.Guarded() {
		t.Error("guarded, beside one that was polled")
	}
	l.Unpolled()
	for _, a := range all {
		if a.asked > 0 {
			t.Fatal("one of many was asked")
		}
	}
	if l.Add(new(silent)); l.Guarded() {
		t.Error("guarded, beside one that is always to be polled")
	}
	l, all = announcers(conns.Few)
	if all[0].poll(); l.Guarded() {
		t.Error("guarded, beside one of few that is polled")
	}
}

// TestALoadedListStaysAsItIs while connections come and go.
func TestALoadedListStaysAsItIs(t *testing.T) {
	l, all := announcers(5)
	five := l.Load()
	l.Remove(all[1])
	four := l.Load()
	l.Add(all[1])
	l.Remove(all[0])
	for i, a := range all {
		if five.All[i] != a {
			t.Errorf("connection %d of a loaded list is another one", i)
		}
	}
	if len(four.All) != 4 || four.All[0] != all[0] || four.All[3] != all[4] || !four.Few() || five.Few() {
		t.Error("the list behind a removal has changed")
	}
	for _, a := range all {
		l.Remove(a)
	}
	if l.Load() != nil || !l.Few() || !l.Guarded() {
		t.Error("an empty list is not empty")
	}
}

// TestPollsBesideArmings: a connection that is polled after the last arming is not told before the next one, and each
// that was polled before an arming is told.
func TestPollsBesideArmings(t *testing.T) {
	l, all := announcers(50)
	l.Unpolled()
	var wg sync.WaitGroup
	for _, part := range [][]*announcer{all[:25], all[25:]} {
		wg.Go(func() {
			for range 2000 {
				for _, a := range part {
					a.poll()
				}
			}
		})
	}
	for range 2000 {
		l.Unpolled()
	}
	wg.Wait()
	l.Unpolled()
	for i, a := range all {
		if a.polled.Load() {
			t.Fatalf("connection %d still counts as polled", i)
		}
	}
}
