package hcatest

import (
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var untakenCases = []Case{
	{"completions not taken", "the slots of their requests are free again", slotsComeBack},
	{"completions not taken", "no more requests are in flight than the send queue holds", underWay},
	{"completions not taken", "spare room of a completion queue goes to the queue pair that needs it, and the queue never overflows", spareRoom},
}

// accept posts the request until the queue takes it. A queue may be full as long as a request is
// in flight. accept returns false if the queue is still full after done has reported that no
// request in flight can make room.
func (e *end) accept(wr hca.SendWR, batch bool, done func() bool) bool {
	e.Helper()
	var turn turns
	for end := time.Now().Add(e.h.patience()); ; turn.next() {
		var err error
		last := done()
		if batch {
			_, err = e.qp.PostSends([]hca.SendWR{wr})
		} else {
			err = e.qp.PostSend(wr)
		}
		if err == nil {
			return true
		}
		if !errors.Is(err, hca.QueueFull) {
			e.Fatalf("%s: PostSend of %v: %v", e.name, wr.Op, err)
		}
		if last {
			return false
		}
		if time.Now().After(end) {
			e.Fatalf("%s: PostSend of %v: full for %v, and no request is in flight", e.name, wr.Op, e.h.patience())
		}
	}
}

// idleNow reports whether no request of the end is in flight.
func (e *end) idleNow() bool {
	n, _ := e.qp.Outstanding()
	return n == 0
}

func slotsComeBack(t *env) {
	const depth, entries = 8, 200
	c := t.pair(setup{send: depth, entries: entries})
	local := c.a.mail.seg(0, 8)
	ops := []hca.SendWR{write(c.b.mail, 0, local), read(c.b.mail, 8, c.a.mail.seg(8, 8)), send(local)}
	for range 3 {
		var posted []want
		for i := range entries {
			wr := ops[i%len(ops)]
			if wr.Op == hca.OpSend {
				c.b.receive(c.b.mail.seg(16, 8))
			}
			wr.ID = c.a.id()
			if !c.a.accept(wr, i%2 == 1, func() bool { return false }) {
				return
			}
			if wr.Op == hca.OpSend { // so that the receive queue has room for the next receive
				c.b.rq.next("message")
			}
			posted = append(posted, want{id: wr.ID, op: wr.Op, len: 8})
		}
		// The completion queue has room for these entries and no more.
		wr := ops[0]
		wr.ID = c.a.id()
		if c.a.accept(wr, false, c.a.idleNow) {
			t.Fatalf("%d requests were accepted, with room for %d entries", entries+1, entries)
		}
		for _, w := range posted {
			c.a.sent(w)
		}
		c.a.sq.empty("refused posts")
	}
	c.a.idle("all done")
	c.expectAlive("after completions that waited")
}

func underWay(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks a connection whose messages find no receive")
		return
	}
	const depth = 8
	c := t.pair(setup{send: depth})
	posted := []want{{id: c.a.post(send(c.a.mail.seg(0, 8))), op: hca.OpSend, len: 8}}
	taken := 0
	// The message finds no receive, and later requests wait. The message itself may be complete
	// on a path where it leaves the sender without a receive.
	for {
		wr := read(c.b.mail, 8, c.a.mail.seg(8, 8))
		wr.ID = c.a.id()
		err := c.a.qp.PostSend(wr)
		if err == nil {
			posted = append(posted, want{id: wr.ID, op: hca.OpRead, len: 8})
			if n, _ := c.a.qp.Outstanding(); n > depth {
				t.Fatalf("%d requests are in flight in a queue for %d", n, depth)
			}
			continue
		}
		t.code("PostSend to a full queue", err, hca.QueueFull)
		n, _ := c.a.qp.Outstanding()
		got := c.a.sq.drain()
		for _, wc := range got {
			c.a.match(wc, posted[taken])
			taken++
		}
		if len(got) == 0 && n == depth {
			break
		}
	}
	if n := len(posted) - taken; n != depth {
		t.Errorf("%d requests are in flight when the queue is full, want %d", n, depth)
	}
	id := c.b.receive(c.b.mail.seg(0, 8))
	c.b.got(want{id: id, op: hca.OpRecv, len: 8})
	for _, w := range posted[taken:] {
		c.a.sent(w)
	}
	c.a.idle("all done")
	c.expectAlive("after a full queue")
}

func spareRoom(t *env) {
	const depth, spare = 16, 8
	f := t.fixture(hca.Options{})
	sq, rq := f.a.queue(2*depth+spare), f.a.queue(256)
	x := f.pair(setup{sq: sq, rq: rq, send: depth}, setup{})
	y := f.pair(setup{sq: sq, rq: rq, send: depth}, setup{})
	type key struct {
		e  *end
		id uint64
	}
	for round := range 20 {
		first, second := x, y
		if round%2 == 1 {
			first, second = y, x
		}
		under := map[key]bool{}
		fill := func(c *conn) (n int) {
			for {
				wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
				wr.ID = c.a.id()
				if !c.a.accept(wr, round%3 == 0, c.a.idleNow) {
					return n
				}
				under[key{c.a, wr.ID}] = true
				n++
			}
		}
		if n := fill(first); n != depth+spare {
			t.Errorf("round %d: the first queue had %d completions not taken, want %d and the %d to spare", round, n, depth, spare)
		}
		if n := fill(second); n != depth {
			t.Errorf("round %d: the second queue had %d completions not taken, want the %d promised", round, n, depth)
		}
		for len(under) > 0 {
			wc := sq.next("write")
			k := key{wc.Owner.(*end), wc.ID}
			if wc.Status != hca.StatusOK || !under[k] {
				t.Fatalf("round %d: unexpected entry %+v", round, wc)
			}
			delete(under, k)
		}
	}
	x.expectAlive("after sharing")
	y.expectAlive("after sharing")
}
