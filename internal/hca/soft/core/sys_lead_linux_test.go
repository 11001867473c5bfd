package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/conns"
	"github.com/godapl/godapl/internal/shm"
)

// handler handles nothing.
type handler struct{}

func (handler) Event(uint32) bool { return false }
func (handler) Continue() bool    { return false }
func (handler) SetPending(bool)   {}
func (handler) ToEngine()         {}

// led are queues with many connections each, whose adapter watches a descriptor. The poll watch does not run.
func led(t *testing.T, queues int) []*CQ {
	t.Helper()
	var list []*CQ
	for range queues {
		c, b := brought(t, nil)
		c.RemoveConn(b)
		if len(list) > 0 {
			c.adapter = list[0].adapter
		}
		for range conns.Few + 1 {
			c.AddConn(new(remote))
		}
		list = append(list, c)
	}
	b := &list[0].adapter.Background
	b.Halt()
	fd, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	var number int32
	if err := b.Poller.Add(fd, handler{}, &number); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Poller.Close()
		shm.CloseFD(fd)
	})
	return list
}

func (c *CQ) holder(t *testing.T, want string) {
	t.Helper()
	if got := c.poller().Lead.Holder(); got != want {
		t.Fatalf("%s has the lead, want %s", got, want)
	}
}

func (c *CQ) leads(t *testing.T, want bool) {
	t.Helper()
	if c.AcquirePark() != want {
		t.Fatalf("the consumer leads: %t, want %t", !want, want)
	}
	if want {
		c.holder(t, "a consumer")
	}
}

func armed(t *testing.T, c *CQ) {
	t.Helper()
	if err := c.Arm(); err != nil {
		t.Fatal(err)
	}
}

// TestAConsumerOfManyLeads while it sleeps, and comes back to a lead that it has left vacant.
func TestAConsumerOfManyLeads(t *testing.T) {
	for _, leave := range []func(*CQ){(*CQ).Depart, func(c *CQ) { c.ReleasePark(false) }} {
		c := led(t, 1)[0]
		for range 3 {
			c.leads(t, true)
			armed(t, c)
			(*c.Kicker())()
			if !c.Park(nil) {
				t.Fatal("it cannot park")
			}
			leave(c)
			c.holder(t, "nobody")
		}
		for _, x := range c.conns.Load().All {
			if x.(*remote).parked {
				t.Fatal("a connection is parked")
			}
		}
		armed(t, c) // for this consumer, which comes back
		c.holder(t, "nobody")
		c.Elsewhere()
		c.holder(t, "the poller")
	}
}

// TestALeadIsNotVacantWhileOthersSleep, wherever they do, and whether they came before or later. A consumer for which that
// is so does not lead for some time.
func TestALeadIsNotVacantWhileOthersSleep(t *testing.T) {
	for what, sleep := range map[string]func(c, other *CQ){
		"another of the same queue":             func(c, _ *CQ) { c.ReleasePark(true) },
		"another of the same queue, later":      func(c, _ *CQ) { c.Depart(); c.Elsewhere() },
		"that of another queue":                 func(c, o *CQ) { armed(t, o); c.Depart() },
		"that of another queue, later":          func(c, o *CQ) { c.Depart(); armed(t, o) },
		"one who cannot lead":                   func(c, o *CQ) { o.AcquirePark(); c.Depart(); armed(t, o) },
		"another who came while this one slept": func(c, o *CQ) { armed(t, o); o.AcquirePark(); c.ReleasePark(false) },
	} {
		t.Run(what, func(t *testing.T) {
			list := led(t, 2)
			c := list[0]
			c.leads(t, true)
			armed(t, c)
			sleep(c, list[1])
			c.holder(t, "the poller")
		})
	}
	list := led(t, 2)
	c := list[0]
	for _, pause := range []int{16, 48, 112} {
		c.leads(t, true)
		c.ReleasePark(true)
		for range pause {
			c.leads(t, false)
		}
	}
	c.leads(t, true)
	c.Depart()
	c.leads(t, true)
	c.Depart()
	c.holder(t, "nobody")
}

// TestALeaderServesOthersOfItsSet: their connections stay in the poller.
func TestALeaderServesOthersOfItsSet(t *testing.T) {
	list := led(t, 2)
	host, guest := list[0], list[1]
	for _, x := range guest.conns.Load().All[1:] {
		guest.RemoveConn(x) // a few of them
	}
	for range 2 {
		host.leads(t, true)
		if !host.Gather(guest) {
			t.Fatal("the other queue is not served")
		}
		armed(t, host)
		armed(t, guest)
		if guest.conns.Load().All[0].(*remote).parked {
			t.Fatal("the leader does not read what is parked")
		}
		host.Depart()
		host.holder(t, "nobody")
	}
	armed(t, guest)
	host.holder(t, "nobody")
	guest.Elsewhere()
	host.holder(t, "the poller")
}

// TestNobodyLeadsForSharedMemory: what arrives there is not at the poller.
func TestNobodyLeadsForSharedMemory(t *testing.T) {
	c := led(t, 1)[0]
	for _, x := range c.conns.Load().All {
		c.RemoveConn(x)
	}
	for range conns.Few + 1 {
		c.AddConn(new(neighbour))
	}
	c.leads(t, false)
}

// TestAFormerQueueIsForgotten: it has no connections any more, and is asked for nothing.
func TestAFormerQueueIsForgotten(t *testing.T) {
	list := led(t, 2)
	c, other := list[0], list[1]
	c.leads(t, true)
	armed(t, other)
	for _, x := range other.conns.Load().All {
		other.RemoveConn(x)
	}
	c.Depart()
	c.holder(t, "nobody")
}
