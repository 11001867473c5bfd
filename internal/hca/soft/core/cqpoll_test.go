package core

import (
	"testing"

	"github.com/godapl/godapl/internal/fence/fencetest"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/conns"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// bringer is a connection that makes an entry whenever it is polled and, if hand is set, hands another
// completion over before.
type bringer struct {
	bring func(id uint64)
	hand  bool
}

func (b *bringer) Poll(_ *CQ, to *hca.WC) (one bool) {
	if one = b.hand && to != nil; one {
		*to = hca.WC{ID: 1}
	}
	b.bring(2)
	return one
}

func (b *bringer) Unpolled()          {}
func (b *bringer) Guarded() bool      { return false }
func (b *bringer) SharesMemory() bool { return false }

// brought returns a queue of depth four with such a connection.
func brought(t *testing.T, notify func()) (*CQ, *bringer) {
	t.Helper()
	c := newQueue(t, hca.CQConfig{Depth: 4, Notify: notify})
	c.share()
	var back gate.Tally
	var gate gate.SpinLock
	b := &bringer{bring: func(id uint64) {
		gate.Lock()
		e, locked := c.begin()
		e.wc, e.back = hca.WC{ID: id}, &back
		c.commit(locked)
		gate.UnlockFenced() // as a goroutine that leaves a gate does
		c.Wake()
	}}
	c.AddConn(b)
	return c, b
}

// TestPollTakesWhatIsBehindOneHandedOver: a poll that returns fewer completions than it has room for has
// returned all.
func TestPollTakesWhatIsBehindOneHandedOver(t *testing.T) {
	c, b := brought(t, nil)
	b.hand = true
	for room := 1; room < 4; room++ {
		wcs := make([]hca.WC, room)
		n := c.Poll(wcs)
		if n != min(room, 2) || wcs[0].ID != 1 || n == 2 && wcs[1].ID != 2 {
			t.Fatalf("with room for %d: %+v", room, wcs[:n])
		}
		for c.take(wcs) > 0 {
		}
	}
}

// TestPollLeavesNothingUntold: an entry may come while an armed queue is polled. A consumer that gets fewer
// completions than it has room for then sleeps, so the entry is either among those or causes a notification.
func TestPollLeavesNothingUntold(t *testing.T) {
	told, untold := 0, 0 // at most one notification after each arming
	c, b := brought(t, func() { told++ })
	var wcs [4]hca.WC
	fencetest.Together(200_000, func(uint64) {
		if err := c.Arm(); err != nil {
			t.Error(err)
		}
		if c.Poll(wcs[:]) == 0 { // the poll after the arming
			c.Poll(wcs[:])
		}
	}, func(uint64) { b.bring(3) }, func(uint64) {
		if c.Ready() && told == 0 {
			untold++
		}
		for c.take(wcs[:]) > 0 {
		}
		told = 0
		c.armed.Store(notArmed)
	})
	if untold > 0 {
		t.Fatalf("%d entries were there of which nobody knew", untold)
	}
}

// watched is a connection that the adapter watches, or not.
type watched struct {
	bringer
	guarded bool
	polls   int
}

func (w *watched) Guarded() bool          { return w.guarded }
func (w *watched) Poll(*CQ, *hca.WC) bool { w.polls++; return false }

// TestPollsOfManyConnectionsLeaveThoseThatAreWatched: with few connections a poll reaches each. With many it reaches
// those in turn that the adapter does not watch, and no other.
func TestPollsOfManyConnectionsLeaveThoseThatAreWatched(t *testing.T) {
	for _, n := range []int{conns.Few, conns.Few + 1, 4 * conns.Few} {
		c, b := brought(t, nil)
		c.RemoveConn(b)
		all := make([]*watched, n)
		for i := range all {
			all[i] = &watched{guarded: i%2 == 0}
			c.AddConn(all[i])
		}
		var wcs [1]hca.WC
		for range n {
			c.Poll(wcs[:])
		}
		for i, w := range all {
			if reached := w.polls > 0; reached != (n <= conns.Few || !w.guarded) {
				t.Errorf("%d connections: connection %d, watched %t, was polled %d times", n, i, w.guarded, w.polls)
			}
		}
	}
}

// TestTheBusyOneOfManyIsPolledEachTime: each poll finds the busy connection, also where a poll reaches few connections. If
// another connection becomes busy, that one is found each time.
func TestTheBusyOneOfManyIsPolledEachTime(t *testing.T) {
	const n = 100 * conns.Few
	c, b := brought(t, nil)
	c.RemoveConn(b)
	all := make([]*bringer, n)
	sends, none := b.bring, func(uint64) {}
	for i := range all {
		all[i] = &bringer{bring: none}
		c.AddConn(all[i])
	}
	polls := func() (k int) { // until something comes
		for k = 1; k <= n; k++ {
			if c.Poll(make([]hca.WC, 4)) > 0 {
				break
			}
		}
		return k
	}
	for _, busy := range []int{n / 2, 3, n - 1} {
		all[busy].bring = sends
		if k := polls(); k > n/conns.Few+1 {
			t.Fatalf("connection %d was not polled in %d polls", busy, k)
		}
		for range 10 {
			if k := polls(); k != 1 {
				t.Fatalf("connection %d was found in poll %d", busy, k)
			}
		}
		all[busy].bring = none
	}
	for _, tc := range all[2*conns.Few:] { // the place of the busy one is behind the end now
		c.RemoveConn(tc)
	}
	all[0].bring = sends
	if k := polls(); k > 2 {
		t.Errorf("one of the connections that are left was found in poll %d", k)
	}
}
