package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/conns"
)

// remote is a connection over a socket with descriptor 3.
type remote struct {
	bringer
	parked bool
}

func (r *remote) Park(*CQ, *park.Park) int { r.parked = true; return 3 }
func (r *remote) Unpark(*CQ)               { r.parked = false }
func (*remote) Arrived(*park.Park)         {}

// still is a kernel queue on which nobody sleeps.
type still struct{ park.Queue }

func (still) End()   {}
func (still) Close() {}

// TestAThreadAndAGoroutineDoNotParkTogether: one of them drives the connection, and the other is notified.
func TestAThreadAndAGoroutineDoNotParkTogether(t *testing.T) {
	c, b := brought(t, nil)
	c.RemoveConn(b)
	r := new(remote)
	c.AddConn(r)
	c.ParkAt(still{})
	outside := func(want bool) {
		t.Helper()
		fds, err := c.ArmDescriptors(nil)
		if err != nil || want != (len(fds) == 1) {
			t.Fatalf("descriptors %v, %v", fds, err)
		}
	}
	if !c.AcquirePark() {
		t.Fatal("the goroutine cannot park")
	}
	outside(false)
	if c.DisarmDescriptors(true); !r.parked {
		t.Error("the thread has unparked the goroutine's connection")
	}
	c.ReleasePark(true)
	outside(true)
	outside(true)
	if c.AcquirePark() {
		t.Error("the goroutine parks beside the thread")
	}
	if c.DisarmDescriptors(true); r.parked || !c.AcquirePark() {
		t.Error("the thread has left the connection parked")
	}
	c.ReleasePark(true)
}

// TestAThreadGivesUpConnectionsWhenThereAreMany: it would not get their descriptors, and nobody else would watch
// them.
func TestAThreadGivesUpConnectionsWhenThereAreMany(t *testing.T) {
	c, b := brought(t, nil)
	c.RemoveConn(b)
	first := new(remote)
	c.AddConn(first)
	if _, err := c.ArmDescriptors(nil); err != nil || !first.parked {
		t.Fatalf("the connection is not parked: %v", err)
	}
	for range conns.Few {
		c.AddConn(new(remote))
	}
	fds, err := c.ArmDescriptors(nil)
	if err != nil || len(fds) > 0 || first.parked {
		t.Errorf("descriptors %v, %v; parked: %v", fds, err, first.parked)
	}
}

// neighbour is a connection over shared memory.
type neighbour struct {
	bringer
	parked int
}

func (*neighbour) SharesMemory() bool { return true }
func (n *neighbour) Park(*CQ, *park.Park) int {
	n.parked++
	return -1
}
func (*neighbour) Unpark(*CQ)         {}
func (*neighbour) Arrived(*park.Park) {}

// TestTheConnectionDecidesWhetherItParks: a queue of a few connections asks each, also one over shared memory. A
// connection that refuses leaves the park free. A queue of many asks none.
func TestTheConnectionDecidesWhetherItParks(t *testing.T) {
	c, b := brought(t, nil)
	c.RemoveConn(b)
	n := new(neighbour)
	c.AddConn(n)
	if c.AcquirePark() || n.parked != 1 {
		t.Errorf("a connection was asked %d times, and refused", n.parked)
	}
	if !c.park.AcquirePark() {
		t.Fatal("the park has an owner that does not park")
	}
	c.park.ReleasePark()
	for range conns.Few {
		c.AddConn(b)
	}
	if c.AcquirePark() || n.parked != 1 {
		t.Errorf("the consumer of many connections parks")
	}
}

// busy is a queue of the kernel's on which something arrives all the time, and each arrival leaves a completion.
type busy struct {
	still
	c *CQ
}

func (busy) Interrupt() {}

func (b busy) Await(look func() bool) error {
	for (*b.c.Kicker())(); !look(); (*b.c.Kicker())() {
	}
	return nil
}

// mover is a connection that would rather not park any more, from one of its arrivals on.
type mover struct {
	remote
	stays int
}

func (m *mover) Moves() bool { m.stays--; return m.stays < 0 }

// TestAnOwnerThatStaysLetsTheConnectionMove: it asks at each arrival.
func TestAnOwnerThatStaysLetsTheConnectionMove(t *testing.T) {
	c, b := brought(t, nil)
	c.RemoveConn(b)
	m := &mover{stays: 3}
	c.AddConn(m)
	c.ParkAt(busy{c: c})
	if !c.AcquirePark() {
		t.Fatal("it does not park")
	}
	looks := 0
	if stayed := c.Park(func() bool { looks++; return looks == 100 }); stayed || looks != 4 {
		t.Errorf("stayed: %v, after %d arrivals", stayed, looks)
	}
	c.ReleasePark(false)
}
