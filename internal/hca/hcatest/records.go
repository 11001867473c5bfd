package hcatest

import (
	"slices"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/status"
)

var recordCases = []Case{
	{"records", "the time of each request that succeeds is measured where it was asked for", recordLatency},
	{"records", "the last events of a queue pair are in order, and there after Close", recordFlight},
	{"records", "requests that are not complete are told, the first ones first", recordOutstanding},
	{"records", "settling completes what is done, and loses no entry", recordSettled},
}

func recordLatency(t *env) {
	f := t.fixture(hca.Options{})
	c, plain := f.pair(setup{latency: true}, setup{}), f.pair()
	for _, c := range []*conn{c, plain} {
		for range 3 {
			c.a.do(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
		}
		c.a.post(with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Suppress))
		c.b.receive(c.b.mail.seg(0, 8))
		c.a.do(send(c.a.mail.seg(0, 8)))
		c.settle(c.a)
	}
	check := func(what string, e *end, asked bool) {
		t.Helper()
		s, ok := e.stats()
		if !ok || s.Latency == (hca.QPStats{}).Latency && asked {
			t.Logf("not checked: the adapter does not measure")
			return
		}
		for op, l := range s.Latency {
			n := s.Ops[op].N
			switch {
			case l == nil && n > 0 && asked:
				t.Errorf("%s: %d of %v succeeded, and no time is there", what, n, hca.Op(op))
			case l != nil && (n == 0 || !asked):
				t.Errorf("%s: %d times of %v, which was not done, or not to be measured", what, l.Count, hca.Op(op))
			case l != nil:
				sum := uint64(0)
				for _, k := range l.Buckets {
					sum += k
				}
				if l.Count != n || sum != n || l.Sum <= 0 {
					t.Errorf("%s: %d times of %v with %v in all, %d in buckets: want %d", what, l.Count, hca.Op(op), l.Sum, sum, n)
				}
			}
		}
	}
	check("asked for", c.a, true)
	check("not asked for", plain.a, false)
	wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
	wr.Local.Key ^= 0x5A5A5A
	id := c.a.post(wr)
	c.a.sent(want{id: id, op: hca.OpWrite, status: hca.StatusLocalProtection})
	check("after a failure", c.a, true)
	c.close()
	check("after Close", c.a, true)
}

// flight reads the flight recorder; ok is false if the queue pair has none.
func (e *end) flight() (requests, receives, outstanding hca.Flight, ok bool) {
	e.Helper()
	r, is := e.qp.(hca.FlightReader)
	if !is {
		e.Logf("not checked: the queue pair records nothing")
		return nil, nil, nil, false
	}
	requests, receives, outstanding, ok = r.ReadFlight(hca.NewPatience(false))
	if !ok {
		e.Fatalf("%s: ReadFlight did not get in", e.name)
	}
	return requests, receives, outstanding, true
}

// completions are those of a flight, without their times.
func completions(f hca.Flight) (all hca.Flight) {
	for _, ev := range f {
		if ev.Kind == status.FlightCompleted {
			ev.Time = time.Time{}
			all = append(all, ev)
		}
	}
	return all
}

func recordFlight(t *env) {
	f := t.fixture(hca.Options{})
	c, plain := f.pair(setup{record: true}), f.pair()
	var sent, got hca.Flight
	note := func(to *hca.Flight, wc hca.WC) {
		*to = append(*to, status.FlightEvent{Kind: status.FlightCompleted, Op: wc.Op, Status: wc.Status, Cookie: wc.ID, Length: wc.Len})
	}
	for i := range 4 {
		c.b.receive(c.b.mail.seg(0, 16))
		note(&sent, c.a.do(send(c.a.mail.seg(0, 8+i))))
		note(&got, c.b.rq.next("message"))
		note(&sent, c.a.do(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		note(&sent, c.a.do(read(c.b.mail, 0, c.a.mail.seg(16, 8))))
	}
	kept := c.b.receive(c.b.mail.seg(0, 16))
	check := func(what string) bool {
		requests, _, _, ok := c.a.flight()
		if !ok {
			return false
		}
		_, receives, _, _ := c.b.flight()
		if all := completions(requests); len(all) == 0 || len(all) > len(sent) || !slices.Equal(all, sent[len(sent)-len(all):]) {
			t.Errorf("%s: the requests were\n%vand the record has\n%v", what, sent, all)
		}
		if all := completions(receives); len(all) == 0 || len(all) > len(got) || !slices.Equal(all, got[len(got)-len(all):]) {
			t.Errorf("%s: the receives were\n%vand the record has\n%v", what, got, all)
		}
		return true
	}
	if !check("under way") {
		return
	}
	plain.a.do(write(plain.b.mail, 0, plain.a.mail.seg(0, 8)))
	if requests, receives, outstanding, _ := plain.a.flight(); len(requests)+len(receives)+len(outstanding) != 0 {
		t.Errorf("a queue pair that shall record nothing has\n%v%v%v", requests, receives, outstanding)
	}
	c.close()
	got = append(got, status.FlightEvent{Kind: status.FlightCompleted, Op: hca.OpRecv, Status: hca.StatusFlushed, Cookie: kept})
	check("after Close")
}

func recordOutstanding(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks the connection instead")
		return
	}
	c := t.pair(setup{record: true})
	if _, _, outstanding, ok := c.a.flight(); !ok {
		return
	} else if len(outstanding) != 0 {
		t.Errorf("none was posted, and the record has\n%v", outstanding)
	}
	const n = hca.MaxOutstanding + 4
	var ids []uint64
	for range n { // each waits for a receive
		ids = append(ids, c.a.post(send(c.a.mail.seg(0, 8))))
	}
	_, _, outstanding, _ := c.a.flight()
	if len(outstanding) > hca.MaxOutstanding || c.a.info.Acked && len(outstanding) > 0 && (len(outstanding) < hca.MaxOutstanding || outstanding[0].Cookie != ids[0]) {
		t.Errorf("%d requests wait, and the record has\n%v", n, outstanding)
	}
	for i, ev := range outstanding {
		if ev.Kind != status.FlightOutstanding || ev.Op != hca.OpSend || ev.Length != 8 || ev.Cookie != outstanding[0].Cookie+uint64(i) {
			t.Errorf("%d requests wait, and the record has\n%v", n, outstanding)
		}
	}
	for i := range n {
		recv := c.b.receive(c.b.mail.seg(0, 8))
		c.b.got(want{id: recv, op: hca.OpRecv, len: 8})
		c.a.sent(want{id: ids[i], op: hca.OpSend, len: 8})
	}
	if _, _, outstanding, _ := c.a.flight(); len(outstanding) != 0 {
		t.Errorf("all are complete, and the record has\n%v", outstanding)
	}
}

// recordSettled: nobody polls at a, waits there or posts until all is complete.
func recordSettled(t *env) {
	f := t.fixture(hca.Options{})
	fresh := f.a.end(setup{})
	s, ok := fresh.qp.(hca.Settler)
	if _, counts := fresh.stats(); !ok || !counts {
		t.Logf("not checked: what is done is complete")
		return
	}
	s.Settle(hca.NewPatience(false)) // there is nothing
	for range 20 {
		c := f.pair()
		var ids []uint64
		for range 4 {
			c.a.post(with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Suppress))
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		recv := c.b.receive(c.b.mail.seg(0, 8))
		c.a.post(with(send(c.a.mail.seg(0, 8)), hca.Suppress))
		c.b.got(want{id: recv, op: hca.OpRecv, len: 8})
		s := c.a.qp.(hca.Settler)
		t.until("what is done is complete", func() bool {
			s.Settle(hca.NewPatience(false))
			stats, _ := c.a.stats()
			return stats.Requests == 0
		})
		for _, id := range ids {
			c.a.sent(want{id: id, op: hca.OpWrite, len: 8})
		}
		c.close()
		s.Settle(hca.NewPatience(false))
		c.a.sq.empty("settled after Close")
	}
}
