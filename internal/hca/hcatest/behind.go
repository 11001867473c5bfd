package hcatest

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var behindCases = []Case{
	{"behind completions", "nobody touches an operation's memory, however the connection ends", behind(behindEnders, 1)},
	{"behind completions", "nobody touches it when the operations lose their memory or their window", behind(behindTakers, 1)},
	{"behind completions", "nobody touches it where several connections share receives", behind(append(behindEnders, behindTakers...), 3)},
}

// From the moment that its completion is visible, whether good, bad or flushed, the
// adapter must not access an operation's memory. So the consumer paints the memory
// right after the completion and checks it later: a target must still have its paint,
// and the peer must not receive the paint of a source.
const (
	behindPaint  = 0xC1 // targets, after the completion, and freed memory
	behindPoison = 0xFE // sources, after the completion
	behindSource = 0x55 // the memory that peers read
	behindRounds = 3    // of each ending
	behindMoment = 150  // a round ends before so many entries

	freedReceives = "freed receives"
)

// behindEnd is a way to end the first connection of a round.
type behindEnd struct {
	name string
	end  func(a, b *behindSide) error
}

var behindEnders = []behindEnd{
	{"abrupt", func(a, _ *behindSide) error { return a.qp.Disconnect(false) }},
	{"abrupt by the peer", func(_, b *behindSide) error { return b.qp.Disconnect(false) }},
	{"abrupt by both", func(a, b *behindSide) error {
		other := start(func() error { return b.qp.Disconnect(false) })
		return errors.Join(a.qp.Disconnect(false), <-other)
	}},
	{"graceful", func(a, _ *behindSide) error { return a.qp.Disconnect(true) }},
	{"Close", func(a, _ *behindSide) error { a.close(); return nil }},
	{"Close by the peer", func(_, b *behindSide) error { b.close(); return nil }},
}

var behindTakers = []behindEnd{
	{"freed sources", func(a, _ *behindSide) error { return a.out.free(behindPoison) }},
	{"freed targets", func(a, _ *behindSide) error { return a.in.free(behindPaint) }},
	{freedReceives, func(_, b *behindSide) error { return b.box.mem.free(behindPaint) }},
	{"freed by the peer", func(_, b *behindSide) error { return b.far.free(behindPaint) }},
	{"a window that is closed", func(_, b *behindSide) error { return b.closeWindow() }},
	{"a window that is unbound", func(_, b *behindSide) error { return b.unbind() }},
}

// behindRound is one connection, or several connections whose listening ends share one receive
// queue.
type behindRound struct {
	*fixture
	size  int // of the largest operation
	sides []*behindSide
	boxes []*behindBox
	moved atomic.Int64  // entries
	over  chan struct{} // closed when the sides shall stop posting
}

func behind(endings []behindEnd, conns int) func(t *env) {
	return func(t *env) {
		f := t.fixture(hca.Options{})
		if conns > 1 && !f.b.can(hca.CapSRQ) {
			t.Logf("no shared receive queues; their refusal is checked under attributes")
			return
		}
		for _, ending := range endings {
			if ending.name == freedReceives && t.h.NoReceiveWait {
				t.Logf("not checked: %s: no messages are sent to this device here", ending.name)
				continue
			}
			for i := range behindRounds {
				b := &behindRound{fixture: f, size: 24 << 10, over: make(chan struct{})}
				if i == 0 && conns == 1 {
					b.size = 1<<20 + 64<<10 // so large that every path copies it in several pieces
				}
				b.run(ending, conns)
				if t.Failed() {
					t.Fatalf("%s: seed %d", ending.name, seed())
				}
			}
		}
	}
}

func (b *behindRound) run(ending behindEnd, conns int) {
	b.Helper()
	b.connectAll(conns)
	var workers sync.WaitGroup
	over := sync.OnceFunc(func() { close(b.over); workers.Wait() })
	defer over() // also when the case ends early
	for _, s := range b.sides {
		workers.Go(s.run)
	}
	for _, x := range b.boxes {
		workers.Go(x.run)
	}
	// The round goes on for a number of entries, not for a time, and so does not depend on the
	// speed of the machine. Other cases check that entries come.
	moment := int64(b.rng.IntN(behindMoment))
	var turn turns
	for end := time.Now().Add(b.h.patience()); b.moved.Load() < moment && time.Now().Before(end); turn.next() {
	}
	if err := ending.end(b.sides[0], b.sides[1]); err != nil {
		b.Errorf("%s: %v", ending.name, err)
	}
	b.sides[0].ev.end(ending.name)
	b.sides[1].ev.end(ending.name)
	for i := 2; i < len(b.sides); i += 2 { // the other connections
		if err := b.sides[i].qp.Disconnect(false); err != nil {
			b.Errorf("%s: Disconnect: %v", ending.name, err)
		}
		b.sides[i].ev.end(ending.name)
		b.sides[i+1].ev.end(ending.name)
	}
	over()
	for _, s := range b.sides {
		s.close()
	}
	for _, x := range b.boxes {
		x.check(ending.name)
	}
	for _, s := range b.sides {
		s.check(ending.name)
	}
}
