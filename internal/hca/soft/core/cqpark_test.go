package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/park"
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
	for range fewConns {
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
	for range fewConns {
		c.AddConn(b)
	}
	if c.AcquirePark() || n.parked != 1 {
		t.Errorf("the consumer of many connections parks")
	}
}
