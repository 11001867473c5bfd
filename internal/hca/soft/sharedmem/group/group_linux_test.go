package group

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence/fencetest"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// note is a member that notes what came: a frame is a number that the peer stores.
type note struct {
	came    atomic.Uint64 // as the peer published it
	handled uint64
	looks   int
	next    func() // the peer goes on, unless it is nil
}

func (n *note) Arm() {
	n.handled = n.came.Load()
	n.looks++
	if n.next != nil {
		n.next()
	}
}

func (n *note) Poll(*core.CQ, *hca.WC) bool { return false }

// still is a group with members, and its peer's side. No poller watches it.
func still(t *testing.T, members int) (g *Group, r *ringer, all []*note) {
	t.Helper()
	p, err := newPage()
	if err != nil {
		t.Skip("the system has no such memory: ", err)
	}
	event, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	g = &Group{roster: roster{page: p, event: event}}
	for range members {
		m := new(note)
		if _, ok := g.enter(m); !ok {
			t.Fatal("the group is full")
		}
		all = append(all, m)
	}
	t.Cleanup(func() {
		shm.CloseFD(event)
		_ = p.seg.Close()
	})
	return g, &ringer{page: p, event: event}, all
}

// TestASleepingGroupMissesNothing: a member's message that comes while the group goes to sleep is found by the last look,
// or rings.
func TestASleepingGroupMissesNothing(t *testing.T) {
	g, r, all := still(t, 3)
	armsAndMissesNothing(t, &g.roster, g.Arm, r, all[1])
}

// armsAndMissesNothing lets the peer ring for m, the second member of a roster, beside arm.
func armsAndMissesNothing(t *testing.T, g *roster, arm func(), r *ringer, m *note) {
	t.Helper()
	flag := g.page.flag(1)
	rounds := fencetest.Together(200_000, func(uint64) {
		arm()
	}, func(round uint64) {
		m.came.Store(round)
		r.ring(flag)
	}, func(round uint64) {
		rung := shm.Drain(g.event)
		if m.handled != round {
			if !rung {
				t.Fatalf("round %d: %d is handled, and nobody has rung", round, m.handled)
			}
			if g.look(); m.handled != round {
				t.Fatalf("round %d: it has rung, and %d is handled", round, m.handled)
			}
		}
		g.page.bell.Disarm()
	})
	if rounds == 0 {
		t.Error("no round was made")
	}
}

// TestALookBesideARingMissesNothing: a message that comes while the member is looked at is found, or has its flag raised.
func TestALookBesideARingMissesNothing(t *testing.T) {
	g, r, all := still(t, 2)
	m, flag := all[0], g.page.flag(0)
	fencetest.Together(200_000, func(uint64) {
		g.look()
	}, func(round uint64) {
		m.came.Store(2 * round)
		r.ring(flag)
		m.came.Store(2*round + 1)
		r.ring(flag)
	}, func(round uint64) {
		if g.look(); m.handled != 2*round+1 {
			t.Fatalf("round %d: %d is handled, and no flag is raised", round, m.handled)
		}
	})
}

// TestABusyPeerDoesNotKeepTheConsumer, who sleeps for connections of others, too: it may come back.
func TestABusyPeerDoesNotKeepTheConsumer(t *testing.T) {
	g, r, all := still(t, 1)
	m := all[0]
	m.next = func() {
		if m.looks < 10000 {
			r.ring(r.page.flag(0))
		}
	}
	m.next()
	g.Arrived(new(park.Park))
	if m.looks > 100 || !shm.Drain(g.event) {
		t.Errorf("%d looks, and it is not told to come back", m.looks)
	}
	m.next = nil
	if g.Arrived(new(park.Park)); g.look() || !g.page.bell.Armed() {
		t.Error("it does not sleep behind the last message")
	}
}

// TestOneRingForMany: members whose messages come while the group is awake, or behind a ring, cost no system call, and each is
// looked at once.
func TestOneRingForMany(t *testing.T) {
	const members = 100 // more than a look takes at a time
	g, r, all := still(t, members)
	g.Arm()
	for i := range all {
		r.ring(r.page.flag(i))
		if rung := shm.Drain(g.event); rung != (i == 0) {
			t.Errorf("message %d has rung: %t", i, rung)
		}
	}
	if !g.look() || g.look() {
		t.Error("the first look must find something, and the second nothing")
	}
	for i, m := range all {
		if m.looks != 1 {
			t.Errorf("member %d was looked at %d times", i, m.looks)
		}
	}
}

// TestAMemberThatHasLeftIsNotLookedAt, whatever the peer says, and its slot is used again.
func TestAMemberThatHasLeftIsNotLookedAt(t *testing.T) {
	g, r, all := still(t, 3)
	g.mu.Lock()
	g.members[1] = nil
	g.free = append(g.free, 1)
	g.mu.Unlock()
	r.ring(r.page.flag(1))
	r.ring(r.page.flag(Most - 1)) // no member has had this slot
	if g.look() || all[1].looks != 0 {
		t.Error("something was looked at")
	}
	next := new(note)
	if slot, ok := g.enter(next); !ok || slot != 1 {
		t.Fatalf("slot %d, %t", slot, ok)
	}
	r.ring(r.page.flag(1))
	if !g.look() || next.looks != 1 || all[1].looks != 0 {
		t.Error("the new member was not looked at")
	}
}

// TestAGroupIsFull when its page is: the next connection needs a doorbell of its own.
func TestAGroupIsFull(t *testing.T) {
	g, r, _ := still(t, Most)
	if _, ok := g.enter(new(note)); ok {
		t.Error("one more has entered")
	}
	_, last := r.flag(Most - 1)
	if _, behind := r.flag(Most); !last || behind {
		t.Error("there is not one flag for each slot")
	}
}
