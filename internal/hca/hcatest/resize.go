package hcatest

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

var resizeCases = []Case{
	{"completion queue", "resize loses nothing and keeps the order", resize},
	{"completion queue", "a poll takes all that is there, behind a resize too", resizeTakesAll},
	{"completion queue", "resize below what waits is a state error", resizeTooSmall},
	{"completion queue", "resize to nothing or over the limit is refused", resizeInvalid},
	{"completion queue", "resize while entries come and go loses nothing", resizeBusy},
}

// noResize tells that there is no resizing; its refusal is checked elsewhere.
func noResize(s *side) bool {
	if !s.can(hca.CapResizeCQ) {
		s.Logf("no resizing; its refusal is checked under attributes")
		return true
	}
	return false
}

func resize(t *env) {
	f := t.fixture(hca.Options{})
	if noResize(f.a) {
		return
	}
	c := f.pair(setup{entries: 40}, setup{})
	cq := c.a.sq.cq
	for _, depth := range []int{100, 40, 64, 33, 40} {
		var ids []uint64
		for range 20 {
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		c.settleQuietly()
		for range 7 { // so that it wraps somewhere
			c.a.sent(want{id: ids[0], op: hca.OpWrite, len: 8})
			ids = ids[1:]
		}
		t.must("Resize", cq.Resize(depth))
		if cq.Depth() < depth {
			t.Errorf("depth %d after Resize to %d", cq.Depth(), depth)
		}
		ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		for _, id := range ids {
			c.a.sent(want{id: id, op: hca.OpWrite, len: 8})
		}
	}
	c.a.sq.empty("resized")
}

// resizeTakesAll: fewer than there is room for are all that there are.
func resizeTakesAll(t *env) {
	f := t.fixture(hca.Options{})
	if noResize(f.a) {
		return
	}
	c := f.pair(setup{entries: 40}, setup{})
	var ids []uint64
	for _, depth := range []int{50, 40} {
		for range 5 {
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		c.settleQuietly()
		t.must("Resize", c.a.sq.cq.Resize(depth))
	}
	ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
	c.settleQuietly()
	got := c.a.sq.poll(len(ids) + 1)
	for i, wc := range got {
		if wc.ID != ids[i] {
			t.Errorf("entry %d is of request %d, want %d", i, wc.ID, ids[i])
		}
	}
	if len(got) != len(ids) {
		t.Errorf("a poll gave %d entries of %d", len(got), len(ids))
	}
}

// settleQuietly waits until all requests of the dialer are done, without taking their
// entries: the listener's message follows them.
func (c *conn) settleQuietly() {
	c.Helper()
	id := c.b.receive(c.b.mail.seg(8, 8))
	c.a.post(with(send(c.a.mail.seg(0, 8)), hca.Suppress))
	c.b.got(want{id: id, op: hca.OpRecv, len: 8})
	c.a.done() // a device tells of it later than the peer
}

func resizeTooSmall(t *env) {
	f := t.fixture(hca.Options{})
	if noResize(f.a) {
		return
	}
	c := f.pair(setup{entries: 40}, setup{})
	var ids []uint64
	for range 20 {
		ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
	}
	c.settleQuietly()
	was := c.a.sq.cq.Depth()
	t.code("Resize", c.a.sq.cq.Resize(4), hca.State)
	if c.a.sq.cq.Depth() != was {
		t.Errorf("depth %d after a refused Resize, was %d", c.a.sq.cq.Depth(), was)
	}
	for _, id := range ids {
		c.a.sent(want{id: id, op: hca.OpWrite, len: 8})
	}
	t.must("Resize of an empty queue", c.a.sq.cq.Resize(8))
}

func resizeInvalid(t *env) {
	s := t.side("adapter", hca.Options{})
	if noResize(s) {
		return
	}
	q := s.queue(16)
	t.code("Resize to 0", q.cq.Resize(0), hca.Invalid)
	t.code("Resize to -1", q.cq.Resize(-1), hca.Invalid)
	if s.attr.MaxCQE < 1<<31-1 {
		t.code("Resize over MaxCQE", q.cq.Resize(s.attr.MaxCQE+1), hca.Invalid, hca.Resources)
	}
}

func resizeBusy(t *env) {
	f := t.fixture(hca.Options{})
	if noResize(f.a) {
		return
	}
	const n = 4000
	c := f.pair(setup{send: 32, entries: 64}, setup{})
	var stop atomic.Bool
	defer stop.Store(true)
	resized := start(func() error {
		for i := 0; !stop.Load(); i++ {
			if err := c.a.sq.cq.Resize(40 + i%100); err != nil {
				return err
			}
		}
		return nil
	})
	for i, under := 0, 0; i < n || under > 0; {
		if i < n && under < 32 {
			wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
			wr.ID = uint64(i + 1)
			c.a.post(wr)
			i, under = i+1, under+1
			continue
		}
		c.a.sent(want{id: uint64(i - under + 1), op: hca.OpWrite, len: 8})
		under--
	}
	stop.Store(true)
	t.must("Resize", t.result("Resize", resized))
	c.a.sq.empty("resized")
}
