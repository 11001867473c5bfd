package group

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// TestAnArmedBoardMissesNothing: a member's message that comes while the board goes to sleep is found by the last look, or
// rings.
func TestAnArmedBoardMissesNothing(t *testing.T) {
	g, r, all := still(t, 3)
	b := &Board{roster: roster{page: g.page, event: g.event, members: g.members}}
	armsAndMissesNothing(t, &b.roster, func() { b.arm() }, r, all[1])
}

// seated are members of one board.
func seated(t *testing.T, members int) []*Membership {
	t.Helper()
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	all := make([]*Membership, members)
	s := new(Groups)
	for i := range all {
		queue, err := a.NewCQ(hca.CQConfig{Depth: 1})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = new(Membership)
		q := &core.QP{Adapter: a, SendCQ: queue.(*core.CQ), RecvCQ: queue.(*core.CQ)}
		if fds := all[i].Join(s, q, Process{PID: 1}, new(note)); fds == nil {
			t.Skip("the system has no such memory")
		}
		t.Cleanup(func() { _ = queue.Close() })
	}
	t.Cleanup(func() {
		for i, m := range all {
			m.Leave()
			if last := i == len(all)-1; last != (len(s.boards) == 0) {
				t.Errorf("%d boards when %d of %d members have left", len(s.boards), i+1, len(all))
			}
		}
		a.Shutdown(func() {})
	})
	return all
}

// TestManySleepersAreACrowd, also if each of them sleeps several times in a row; one that sleeps alone is none, and some
// of its sleeps after the others'. Two that answer one another are none either.
func TestManySleepersAreACrowd(t *testing.T) {
	all := seated(t, 40)
	sleeps := func(who []*Membership, rounds, times int) (crowded int) {
		for range rounds {
			for _, m := range who {
				for range times {
					if m.Crowded() {
						crowded++
					}
				}
			}
		}
		return crowded
	}
	for _, times := range []int{1, 4} {
		sleeps(all, 100/times, times)
		if n := sleeps(all, 10, times); n != 10*times*len(all) {
			t.Errorf("of %d sleeps of a crowd, %d in a row, %d are at the board", 10*times*len(all), times, n)
		}
	}
	for _, few := range []int{1, 2} {
		sleeps(all[:few], 200, 1)
		if n := sleeps(all[:few], 100, 1); n != 0 {
			t.Errorf("%d sleep, and %d of 100 sleeps are at the board", few, n)
		}
	}
	if all[0].InCrowd() || !all[39].InCrowd() {
		t.Error("what was found last is not known")
	}
}

// TestTheConsumersOfOneConnectionAreNoCrowd, if they go to sleep at the same time: one may count its sleep before the other,
// and note it after.
func TestTheConsumersOfOneConnectionAreNoCrowd(t *testing.T) {
	m := seated(t, 1)[0]
	var crowded atomic.Int64
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for range 200_000 {
				if m.Crowded() {
					crowded.Add(1)
				}
			}
		})
	}
	both.Wait()
	if n := crowded.Load(); n != 0 {
		t.Errorf("%d sleeps of a connection that is alone are at the board", n)
	}
}

// TestSleepsBeforeAConnectionCameAreNoCrowd.
func TestSleepsBeforeAConnectionCameAreNoCrowd(t *testing.T) {
	first := seated(t, 1)[0]
	for range 1000 {
		first.Crowded()
	}
	q := &core.QP{Adapter: first.seat.board.a}
	m := new(Membership)
	m.Join(first.seat.of, q, Process{PID: 1}, new(note))
	defer m.Leave()
	if m.seat.board != first.seat.board {
		t.Fatal("it has no seat at the board")
	}
	if m.Crowded() {
		t.Error("the first sleep of a connection is at the board, and nobody sleeps any more")
	}
}

// TestAMemberOfAGroupHasNoSeat, nor has a connection with a process whose number is not seen.
func TestAMemberOfAGroupHasNoSeat(t *testing.T) {
	defer Everywhere()()
	if m := seated(t, 1)[0]; m.seat.board != nil || !m.Grouped || m.Crowded() {
		t.Error("it has one")
	}
}

// TestAnUnknownProcessHasNoBoard: what is known by its number alone might be another one.
func TestAnUnknownProcessHasNoBoard(t *testing.T) {
	if board, _ := new(Groups).sit(nil, Process{}, new(note)); board != nil {
		t.Error("it has one")
	}
}
