package hcatest

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var statsCases = []Case{
	{"statistics", "count each kind of operation and its bytes", statsKinds},
	{"statistics", "count failures and flushes by status", statsFailures},
	{"statistics", "count a message that waits for its receive once", statsWait},
	{"statistics", "of a completion queue count entries, polls and wake-ups", statsQueue},
	{"statistics", "are read while operations are under way, and only grow", statsUnderWay},
}

// stats reads the counters of an end. The queue pair may have none: then ok is false.
func (e *end) stats() (s hca.QPStats, ok bool) {
	e.Helper()
	r, ok := e.qp.(hca.QPStatsReader)
	if ok && !r.ReadStats(&s, hca.NewPatience(false)) {
		e.Fatalf("%s: ReadStats did not get in", e.name)
	}
	return s, ok
}

// counts checks all counters of operations.
func (e *end) counts(what string, ops map[hca.Op]hca.OpStats, failed map[hca.Status]uint64) {
	e.Helper()
	s, ok := e.stats()
	if !ok {
		return
	}
	for op, got := range s.Ops {
		if want := ops[hca.Op(op)]; got != want {
			e.Errorf("%s: %s: %v: %d with %d bytes counted, want %d with %d", e.name, what, hca.Op(op), got.N, got.Bytes, want.N, want.Bytes)
		}
	}
	for status, got := range s.Failed {
		if want := failed[hca.Status(status)]; got != want {
			e.Errorf("%s: %s: %v counted %d times, want %d", e.name, what, hca.Status(status), got, want)
		}
	}
}

func statsKinds(t *env) {
	c := t.pair()
	c.a.counts("before", nil, nil)
	local, in := c.a.region(4096, hca.LocalRead), c.a.region(4096, c.a.sink())
	far := c.b.region(4096, c.b.all())
	here, there := map[hca.Op]hca.OpStats{}, map[hca.Op]hca.OpStats{}
	add := func(ops map[hca.Op]hca.OpStats, op hca.Op, n int) {
		ops[op] = hca.OpStats{N: ops[op].N + 1, Bytes: ops[op].Bytes + uint64(n)}
	}
	for i, base := range []int{8, 100, 4000} {
		for _, op := range []hca.Op{hca.OpSend, hca.OpSendImm, hca.OpWrite, hca.OpWriteImm, hca.OpRead} {
			n := base + int(op) // each kind has other lengths, so that none is counted as another
			wr, arrives := hca.SendWR{}, hca.OpNone
			switch op {
			case hca.OpSend:
				wr, arrives = send(local.seg(0, n)), hca.OpRecv
			case hca.OpSendImm:
				if !c.a.has(hca.CapSendImm) {
					continue
				}
				wr, arrives = request(op, local.seg(0, n)), hca.OpRecvImm
			case hca.OpWriteImm:
				if !c.a.has(hca.CapWriteImm) {
					continue
				}
				wr, arrives = remote(op, far, 0, local.seg(0, n)), hca.OpRecvWriteImm
			case hca.OpWrite:
				wr = write(far, 0, local.seg(0, n))
			case hca.OpRead:
				wr = read(far, 0, in.seg(0, n))
			}
			if arrives != hca.OpNone {
				c.b.receive(c.b.region(4096, hca.LocalWrite).seg(0, 4096))
			}
			if i == 1 {
				c.a.post(with(wr, hca.Suppress))
			} else {
				c.a.do(wr)
			}
			add(here, op, n)
			if arrives != hca.OpNone {
				add(there, arrives, int(c.b.rq.next("receive").Len))
			}
		}
	}
	if c.a.has(hca.CapAtomics) {
		c.a.do(addWord(far, 0, in.seg(0, 8), 1))
		c.a.do(addWord(far, 0, in.seg(0, 8), 1))
		c.a.do(swapWord(far, 0, in.seg(0, 8), 1, 2))
		add(here, hca.OpFetchAdd, 8)
		add(here, hca.OpFetchAdd, 8)
		add(here, hca.OpCompareSwap, 8)
	}
	c.settle(c.a) // a read of 8 bytes, after which the suppressed requests are done
	add(here, hca.OpRead, 8)
	c.a.counts("kinds", here, nil)
	c.b.counts("kinds", there, nil)
}

func statsFailures(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	ids := []uint64{c.b.receive(c.b.mail.seg(0, 8)), c.b.receive(c.b.mail.seg(8, 8)), c.b.receive(c.b.mail.seg(16, 8))}
	wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
	wr.Local.Key ^= 0x5A5A5A // fails on this side, in every transport
	id := c.a.post(wr)
	status := c.a.sent(want{id: id, op: hca.OpWrite, status: hca.StatusLocalProtection}).Status
	c.a.ev.broken("bad local key")
	late := c.a.post(send(c.a.mail.seg(0, 8)))
	c.a.sent(want{id: late, op: hca.OpSend, status: hca.StatusFlushed})
	c.b.ev.end("the peer broke it")
	c.b.flushed(ids...)
	c.b.flushed(c.b.receive(c.b.mail.seg(0, 8))) // posted after the end
	failed := map[hca.Status]uint64{hca.StatusFlushed: 1}
	failed[status]++
	c.a.counts("failures", nil, failed)
	c.b.counts("failures", nil, map[hca.Status]uint64{hca.StatusFlushed: 4})
	c.close()
	c.a.counts("closed", nil, failed)
	c.b.counts("closed", nil, map[hca.Status]uint64{hca.StatusFlushed: 4})
}

// until waits for a condition that a counter shows.
func (t *env) until(what string, done func() bool) {
	t.Helper()
	var turn turns
	for end := time.Now().Add(t.h.patience()); !done(); turn.next() {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, t.h.patience())
		}
	}
}

func statsWait(t *env) {
	if !t.h.CountsWaits {
		return
	}
	c := t.pair()
	for i := range 3 {
		id := c.a.post(send(c.a.mail.seg(0, 8)))
		t.until("the wait is counted", func() bool {
			s, ok := c.b.stats()
			if ok && (s.ReceiveWaitNow > 0) != (s.ReceiveWaits > uint64(i)) || s.ReceiveWait < s.ReceiveWaitNow {
				t.Errorf("%d waits of %v, the current one of %v", s.ReceiveWaits, s.ReceiveWait, s.ReceiveWaitNow)
			}
			return !ok || s.ReceiveWaits == uint64(i+1)
		})
		before, _ := c.b.stats()
		recv := c.b.receive(c.b.mail.seg(0, 8))
		c.b.got(want{id: recv, op: hca.OpRecv, len: 8})
		c.a.sent(want{id: id, op: hca.OpSend, len: 8})
		if s, ok := c.b.stats(); ok && (s.ReceiveWaitNow != 0 || s.ReceiveWait < before.ReceiveWait) {
			t.Errorf("after the wait %v, %v of it now; before %v", s.ReceiveWait, s.ReceiveWaitNow, before.ReceiveWait)
		}
	}
	c.b.receive(c.b.mail.seg(0, 8))
	c.a.do(send(c.a.mail.seg(0, 8))) // does not wait
	if s, ok := c.b.stats(); ok && (s.ReceiveWaits != 3 || s.ReceiveWait <= 0) {
		t.Errorf("%d waits of %v in all, want 3 of some time", s.ReceiveWaits, s.ReceiveWait)
	}
}

func statsQueue(t *env) {
	c := t.pair()
	q, ok := c.a.sq.cq.(hca.CQStatsReader)
	if !ok {
		return
	}
	const n = 5
	before := q.ReadStats(hca.NewPatience(false))
	for range n {
		c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
	}
	for range n {
		c.a.sq.next("write")
	}
	s := q.ReadStats(hca.NewPatience(false))
	if got := s.Taken - before.Taken; got != n || s.Waiting != 0 || s.High < 1 || s.High > n || s.Overflows != 0 {
		t.Errorf("%d entries taken of %d, and %+v", got, n, s)
	}
	c.a.sq.empty("taken")
	if now := q.ReadStats(hca.NewPatience(false)); now.EmptyPolls <= s.EmptyPolls || now.Taken != s.Taken {
		t.Errorf("after an empty poll %+v, before %+v", now, s)
	}
	arms, wakes := q.ReadStats(hca.NewPatience(false)).Arms, q.ReadStats(hca.NewPatience(false)).Wakes
	t.must("Arm", c.a.sq.cq.Arm())
	c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
	await(t, "Notify", c.a.sq.bell)
	// The bell may be of a call above that found its entry without it.
	t.until("the wake-up is counted", func() bool { return q.ReadStats(hca.NewPatience(false)).Wakes > wakes })
	if s := q.ReadStats(hca.NewPatience(false)); s.Arms != arms+1 || s.Wakes > s.Arms {
		t.Errorf("%d calls of Arm and %d of Notify counted, want %d, and no more than one for each", s.Arms, s.Wakes, arms+1)
	}
	c.a.sq.next("write")
}

func statsUnderWay(t *env) {
	c := t.pair()
	local, far := c.a.region(64, hca.LocalRead), c.b.region(64, c.b.all())
	const rounds = 300
	done := make(chan struct{})
	looked := start(func() error {
		var before hca.QPStats
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			for _, e := range c.ends() {
				r, ok := e.qp.(hca.QPStatsReader)
				if !ok {
					return nil
				}
				var s hca.QPStats
				if !r.ReadStats(&s, hca.NewPatience(false)) || e != c.a {
					continue
				}
				for _, op := range []hca.Op{hca.OpSend, hca.OpWrite} {
					if s.Ops[op].N < before.Ops[op].N || s.Ops[op].Bytes != 8*s.Ops[op].N {
						t.Errorf("%v: %+v after %+v", op, s.Ops[op], before.Ops[op])
					}
				}
				before = s
			}
		}
		return nil
	})
	for range rounds {
		c.b.receive(c.b.mail.seg(0, 8))
		c.a.do(write(far, 0, local.seg(0, 8)))
		c.a.do(send(local.seg(0, 8)))
		c.b.rq.next("message")
	}
	close(done)
	t.must("reading", t.result("reading", looked))
	c.a.counts("under way", map[hca.Op]hca.OpStats{hca.OpSend: {N: rounds, Bytes: 8 * rounds}, hca.OpWrite: {N: rounds, Bytes: 8 * rounds}}, nil)
	c.b.counts("under way", map[hca.Op]hca.OpStats{hca.OpRecv: {N: rounds, Bytes: 8 * rounds}}, nil)
}
