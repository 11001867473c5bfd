package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var bindCases = []Case{
	{"binding", "what may not be bound fails and grants nothing", perKind(bindFails)},
	{"binding", "without a window or with unknown rights is invalid", perKind(bindInvalid)},
	{"binding", "behind the end is flushed and grants nothing", perKind(bindFlushed)},
}

func bindFails(t *env, kind hca.WindowKind) {
	f := t.fixture(hca.Options{})
	readOnly := func(e *end) *region { return e.region(64, hca.LocalRead|hca.RemoteRead) }
	whole := func(e *end) *region { return e.region(64, e.all()) }
	for _, try := range []struct {
		what string
		wr   func(e *end) hca.SendWR
	}{
		{"remote write without local write", func(e *end) hca.SendWR {
			return bindWR(e.window(kind), readOnly(e), 0, 64, hca.RemoteWrite)
		}},
		{"one byte before the region", func(e *end) hca.SendWR {
			return bindWR(e.window(kind), whole(e), -1, 8, hca.RemoteRead)
		}},
		{"one byte over the region's end", func(e *end) hca.SendWR {
			return bindWR(e.window(kind), whole(e), 57, 8, hca.RemoteRead)
		}},
		{"a range that wraps", func(e *end) hca.SendWR {
			wr := bindWR(e.window(kind), whole(e), 8, 64, hca.RemoteRead)
			wr.Bind.Len = ^uint64(0)
			return wr
		}},
		{"a region of another domain", func(e *end) hca.SendWR {
			return bindWR(e.window(kind), e.regionIn(e.domain(), 64, e.all()), 0, 64, hca.RemoteRead)
		}},
		{"a window of another domain", func(e *end) hca.SendWR {
			mw, err := e.domain().NewWindow(kind)
			e.must("NewWindow", err)
			return bindWR(mw, whole(e), 0, 64, hca.RemoteRead)
		}},
		{"a freed region", func(e *end) hca.SendWR {
			r := whole(e)
			wr := bindWR(e.window(kind), r, 0, 64, hca.RemoteRead)
			e.must("MR.Close", r.mr.Close())
			return wr
		}},
		{"a closed window", func(e *end) hca.SendWR {
			mw := e.window(kind)
			e.must("MW.Close", mw.Close())
			return bindWR(mw, whole(e), 0, 64, hca.RemoteRead)
		}},
	} {
		c := f.pair()
		wr := try.wr(c.b)
		wr.ID = 77
		if err := c.b.qp.PostSend(wr); err != nil {
			c.bindRefused(try.what, err)
			f.grantsNothing(try.what, wr.Bind)
			continue
		}
		behind := c.b.post(send())
		wc := c.b.sq.next(try.what)
		c.b.one(try.what, wc, 77, hca.OpBind, []hca.Status{hca.StatusBindFailed})
		c.b.sent(want{id: behind, op: hca.OpSend, status: hca.StatusFlushed})
		c.b.ev.broken(try.what)
		c.a.ev.end(try.what)
		c.close()
		f.grantsNothing(try.what, wr.Bind)
	}
}

// grantsNothing tries the key of a bind that failed, on another connection of the domain
// and where the window and the region would overlap.
func (f *fixture) grantsNothing(what string, b *hca.Bind) {
	f.Helper()
	if b.Key == 0 || f.h.LooseReads {
		return
	}
	c := f.pair()
	wr := request(hca.OpRead, c.a.mail.seg(0, 1))
	if b.Access&hca.RemoteWrite != 0 {
		wr.Op = hca.OpWrite
	}
	wr.Remote, wr.RKey = max(b.Addr, b.MR.Addr()), b.Key
	c.refused(what+": a key whose bind failed", c.a, wr)
}

// bindRefused looks at a bind that the post itself refused: it has to say why,
// and the connection lives.
func (c *conn) bindRefused(what string, err error) {
	c.Helper()
	c.code(what, err, hca.Invalid, hca.Privileges, hca.Protection, hca.Closed)
	c.b.idle(what)
	c.expectAlive(what)
	c.close()
}

func bindInvalid(t *env, kind hca.WindowKind) {
	c := t.pair()
	r := c.b.region(64, c.b.all())
	mw := c.b.window(kind)
	t.code("no window", c.b.qp.PostSend(bindWR(nil, r, 0, 8, hca.RemoteRead)), hca.Invalid)
	wr := bindWR(mw, r, 0, 8, hca.RemoteRead)
	wr.Bind.MR = nil
	t.code("no region", c.b.qp.PostSend(wr), hca.Invalid)
	for _, a := range []hca.Access{0x80, hca.RemoteRead | 0x04} {
		t.code("unknown rights", c.b.qp.PostSend(bindWR(mw, r, 0, 8, a)), hca.Invalid)
	}
	if mw.RKey() != 0 {
		t.Errorf("a refused bind has given the key %#x", mw.RKey())
	}
	c.expectAlive("after refusals")
}

func bindFlushed(t *env, kind hca.WindowKind) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	r := c.b.region(64, c.b.all())
	t.must("Disconnect", c.b.qp.Disconnect(false))
	c.b.ev.end("abrupt")
	mw := c.b.window(kind)
	wr := bindWR(mw, r, 0, 64, hca.RemoteWrite)
	id := c.b.post(wr)
	c.b.sent(want{id: id, op: hca.OpBind, status: hca.StatusFlushed})
	t.must("MR.Close: no window was bound", r.mr.Close())
	c = f.pair()
	if wr.Bind.Key != 0 {
		c.refused("a key whose bind was flushed", c.a, via(write(r, 0, c.a.mail.seg(0, 8)), wr.Bind.Key))
	}
	r.still("a bind that was flushed", 0, 64, 0)
}
