package core

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
)

// far is a connection over a socket of its own. It parks for one queue at a time.
type far struct {
	bringer
	fd       int
	queue    *CQ
	at       *park.Park
	arrivals int
	unpolled int
}

func (f *far) Park(c *CQ, p *park.Park) int {
	if f.queue != nil && f.queue != c {
		return -1
	}
	f.queue, f.at = c, p
	return f.fd
}

func (f *far) Unpark(c *CQ) {
	if f.queue == c {
		f.queue, f.at = nil, nil
	}
}

func (f *far) Arrived(*park.Park) { f.arrivals++ }
func (f *far) Unpolled()          { f.unpolled++ }

// reporter is a kernel queue that reports what the test tells it to.
type reporter struct {
	park.Queue
	rounds [][]int32 // what each round finds
}

func (*reporter) End()       {}
func (*reporter) Close()     {}
func (*reporter) Clear()     {}
func (*reporter) Interrupt() {}

func (k *reporter) Ready(fds []int32) int {
	n := copy(fds, k.rounds[0])
	k.rounds[0] = k.rounds[0][n:]
	return n
}

// Await makes all rounds, and then kicks the owner.
func (k *reporter) Await(look func() bool) error {
	look()
	for ; len(k.rounds) > 0; k.rounds = k.rounds[1:] {
		look()
	}
	return hca.NewError(hca.Closed, "", "", "")
}

// parks returns a queue with these connections.
func parks(t *testing.T, k park.Queue, conns ...Polled) *CQ {
	t.Helper()
	c := newQueue(t, hca.CQConfig{Depth: 4})
	for _, tc := range conns {
		c.AddConn(tc)
	}
	c.ParkAt(k)
	return c
}

// TestOnlyConnectionsWithArrivalsAreRead: the first round of a sleep looks at all of them.
func TestOnlyConnectionsWithArrivalsAreRead(t *testing.T) {
	a, b := &far{fd: 3}, &far{fd: 4}
	many := make([]int32, 40) // more than are fetched at a time
	many[len(many)-1] = 4
	k := &reporter{rounds: [][]int32{{3}, {}, {4, 3}, many}}
	c := parks(t, k, a, b)
	if !c.AcquirePark() {
		t.Fatal("the consumer does not park")
	}
	c.Park(nil)
	if a.arrivals != 3 || b.arrivals != 3 {
		t.Errorf("%d and %d arrivals were handled, want 3 and 3", a.arrivals, b.arrivals)
	}
	c.ReleasePark(false)
}

// TestAGuestParksWithItsHost: the connections of both queues are in the park of the host, and come back together.
// One that uses both is there once. The guest has no other owner meanwhile.
func TestAGuestParksWithItsHost(t *testing.T) {
	a, b, both := &far{fd: 3}, &far{fd: 4}, &far{fd: 5}
	host := parks(t, &reporter{}, a, both)
	guest := parks(t, &reporter{}, b, both)
	if !host.AcquirePark() || !host.Gather(guest) {
		t.Fatal("the queues are not parked together")
	}
	if a.at != &host.park || both.queue != host || b.queue != guest || b.at != &host.park {
		t.Error("a connection is not in the host's park")
	}
	if guest.AcquirePark() || host.Gather(guest) {
		t.Error("the guest has a second owner")
	}
	if host.Park(nil); b.arrivals != 1 || both.arrivals != 1 {
		t.Errorf("%d and %d arrivals", b.arrivals, both.arrivals)
	}
	host.ReleasePark(false)
	if a.at != nil || b.at != nil || both.at != nil {
		t.Error("a connection is still parked")
	}
	if !guest.noWaiter.Load() || !host.noWaiter.Load() {
		t.Error("a queue without a waiter has one")
	}
	if !guest.AcquirePark() {
		t.Error("the guest cannot park alone afterwards")
	}
	guest.ReleasePark(false)
}

// TestArmingIsQuietUntilTheConsumerReturns: after Depart, until it parks again or sleeps elsewhere.
func TestArmingIsQuietUntilTheConsumerReturns(t *testing.T) {
	a, b := &far{fd: 3}, &far{fd: 4}
	host, guest := parks(t, &reporter{}, a), parks(t, &reporter{}, b)
	var told []int
	arm := func(c *CQ) {
		t.Helper()
		if err := c.Arm(); err != nil {
			t.Fatal(err)
		}
		told = append(told, a.unpolled, b.unpolled)
		a.unpolled, b.unpolled = 0, 0
	}
	park := func() {
		t.Helper()
		if !host.AcquirePark() || !host.Gather(guest) {
			t.Fatal("the queues are not parked together")
		}
		a.unpolled, b.unpolled = 0, 0
	}
	park()
	host.Depart()
	arm(host)
	arm(guest)
	if !host.AcquirePark() || !host.Gather(guest) || a.unpolled != 1 || b.unpolled != 1 {
		t.Error("the consumer has returned, and the connections are not told")
	}
	a.unpolled, b.unpolled = 0, 0
	host.Depart()
	host.Elsewhere()
	host.Elsewhere()
	guest.Elsewhere()
	told = append(told, a.unpolled, b.unpolled)
	a.unpolled, b.unpolled = 0, 0
	arm(host)
	arm(guest)
	park()
	host.ReleasePark(true)
	arm(host)
	park()
	host.Depart()
	host.RemoveConn(a)
	if host.AcquirePark() {
		t.Error("a queue without connections parks")
	}
	host.AddConn(a)
	arm(host)
	if want := []int{0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0}; !slices.Equal(told, want) {
		t.Errorf("the connections were told %v times, want %v", told, want)
	}
}
