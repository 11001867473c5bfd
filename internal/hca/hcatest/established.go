package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var establishedCases = []Case{
	{"established", "the event comes before the call returns and describes the connection", establishedInfo},
	{"established", "no completion can be polled before the event", establishedFirst},
	{"established", "the callback may post", establishedPosts},
	{"established", "the side that accepted may speak first", listenerFirst},
	{"established", "read depths are agreed upon", agreedReads},
	{"established", "receives posted before connecting are used first, in order", receivesBefore},
}

func establishedInfo(t *env) {
	c := t.pair() // checks that the event was there in time
	for _, e := range c.ends() {
		if e.info.Local == "" || e.info.Remote == "" || e.info.Path == "" {
			t.Errorf("%s: local %q, remote %q, path %q: want all", e.name, e.info.Local, e.info.Remote, e.info.Path)
		}
		if e.info.ReadsOut < 1 || e.info.ReadsIn < 1 {
			t.Errorf("%s: %d reads out, %d in: want at least 1", e.name, e.info.ReadsOut, e.info.ReadsIn)
		}
	}
	if c.a.info.Path != c.b.info.Path {
		t.Errorf("paths %q and %q", c.a.info.Path, c.b.info.Path)
	}
}

func establishedFirst(t *env) {
	f := t.fixture(hca.Options{})
	for range 50 {
		// The dialer sends from inside its own event: no message is earlier.
		a := f.a.end(setup{hook: func(e *end, ev hca.ConnEvent) {
			if ev.Kind == hca.EventEstablished {
				if err := e.qp.PostSend(send(e.mail.seg(0, 8))); err != nil {
					t.Errorf("PostSend inside the event: %v", err)
				}
			}
		}})
		b := f.b.end(setup{})
		b.receive(b.mail.seg(0, 8))
		polled := start(func() error {
			_, err := b.rq.wait()
			if err == nil && b.ev.info() == nil {
				t.Errorf("a completion before the connection was established")
			}
			return err
		})
		f.connect(a, b)
		t.must("receive", t.result("receive", polled))
		(&conn{fixture: f, a: a, b: b}).close()
	}
}

func establishedPosts(t *env) {
	f := t.fixture(hca.Options{})
	var ids [2]uint64
	hook := func(i int) func(*end, hca.ConnEvent) {
		return func(e *end, ev hca.ConnEvent) {
			if ev.Kind != hca.EventEstablished {
				return
			}
			wr := send(e.mail.seg(0, 8))
			wr.ID = 1000 + uint64(i)
			if err := e.qp.PostSend(wr); err != nil {
				t.Errorf("%s: PostSend inside the event: %v", e.name, err)
			}
		}
	}
	c := &conn{fixture: f, a: f.a.end(setup{hook: hook(0)}), b: f.b.end(setup{hook: hook(1)})}
	for i, e := range c.ends() {
		ids[i] = e.receive(e.mail.seg(8, 8))
	}
	f.connect(c.a, c.b)
	for i, e := range c.ends() {
		e.sent(want{id: 1000 + uint64(i), op: hca.OpSend, len: 8})
		e.got(want{id: ids[i], op: hca.OpRecv, len: 8})
	}
}

// listenerFirst has the message follow the answer as closely as can be.
func listenerFirst(t *env) {
	f := t.fixture(hca.Options{})
	for range 50 {
		a := f.a.end(setup{})
		b := f.b.end(setup{hook: func(e *end, ev hca.ConnEvent) {
			if ev.Kind == hca.EventEstablished {
				if err := e.qp.PostSend(with(send(e.mail.seg(0, 8)), hca.Suppress)); err != nil {
					t.Errorf("PostSend inside the event: %v", err)
				}
			}
		}})
		id := a.receive(a.mail.seg(0, 8))
		f.connect(a, b)
		a.got(want{id: id, op: hca.OpRecv, len: 8})
		t.must("Disconnect", b.qp.Disconnect(true))
		a.ev.disconnected("the listener left")
		b.ev.disconnected("it left")
		(&conn{fixture: f, a: a, b: b}).close()
	}
}

func agreedReads(t *env) {
	f := t.fixture(hca.Options{})
	for _, n := range [][2]int{{1, 1}, {4, 1}, {1, 4}, {3, 2}} {
		c := f.pair(setup{reads: n[0]}, setup{reads: n[1]})
		if c.a.info.ReadsOut > c.b.info.ReadsIn || c.b.info.ReadsOut > c.a.info.ReadsIn {
			t.Errorf("%v: dialer %d out, %d in; listener %d out, %d in: one may send more than the other takes", n,
				c.a.info.ReadsOut, c.a.info.ReadsIn, c.b.info.ReadsOut, c.b.info.ReadsIn)
		}
		for i, e := range c.ends() {
			if e.info.ReadsOut > n[i] || e.info.ReadsIn > n[i] {
				t.Errorf("%v: %s: %d reads out, %d in: more than it was made for", n, e.name, e.info.ReadsOut, e.info.ReadsIn)
			}
		}
		// Reads beyond the depth wait.
		src := c.b.region(64, c.b.all())
		dst := c.a.region(64, c.a.sink())
		fill(src.b, n[0])
		var ids []uint64
		for i := range 8 {
			ids = append(ids, c.a.post(read(src, 8*i, dst.seg(8*i, 8))))
		}
		for _, id := range ids {
			c.a.sent(want{id: id, op: hca.OpRead, len: 8})
		}
		dst.holds("read", 0, 64, n[0])
		c.close()
	}
}

func receivesBefore(t *env) {
	f := t.fixture(hca.Options{})
	c := &conn{fixture: f, a: f.a.end(setup{}), b: f.b.end(setup{})}
	var ids []uint64
	for i := range 6 {
		ids = append(ids, c.b.receive(c.b.mail.seg(8*i, 8)))
	}
	if s, r := c.b.qp.Outstanding(); s != 0 || r != 6 {
		t.Errorf("%d requests and %d receives outstanding, want 0 and 6", s, r)
	}
	if n, span := c.b.qp.Held(); n != 6 || span < 0 {
		t.Errorf("%d buffers held, span %d, want 6", n, span)
	}
	c.b.rq.empty("before connecting")
	f.connect(c.a, c.b)
	fill(c.a.mail.b, 3)
	for i, id := range ids {
		c.a.do(send(c.a.mail.seg(8*i, 8)))
		c.b.got(want{id: id, op: hca.OpRecv, len: 8})
	}
	c.b.mail.holds("messages", 0, 48, 3)
	c.b.idle("all used")
}
