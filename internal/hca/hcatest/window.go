package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var windowCases = []Case{
	{"windows", "a bound window grants its part of a region", perKind(windowGrants)},
	{"windows", "every bind has another key, known to the post already", perKind(windowKeys)},
	{"windows", "a key may travel right behind its bind", perKind(windowRightBehind)},
	{"windows", "unbinding, binding again and closing kill the key", perKind(windowKilled)},
	{"windows", "a region cannot be closed while a window is bound to it", perKind(windowInUse)},
	{"windows", "what the window does not grant is refused", perKind(windowRights)},
	{"windows", "a zone window is good on every queue pair of its domain", zoneScope},
	{"windows", "an endpoint window is good on its queue pair only", endpointScope},
}

// perKind runs a case for each kind of window that the adapter has.
func perKind(f func(t *env, kind hca.WindowKind)) func(t *env) {
	return func(t *env) {
		s := t.side("adapter", hca.Options{})
		for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
			if s.can(windowCap(kind)) {
				f(t, kind)
			} else {
				t.Logf("no windows of kind %d; their refusal is checked under attributes", kind)
			}
		}
	}
}

func windowCap(k hca.WindowKind) hca.Caps {
	if k == hca.ZoneWindow {
		return hca.CapZoneWindows
	}
	return hca.CapEndpointWindows
}

func (e *end) window(kind hca.WindowKind) hca.MW {
	e.Helper()
	mw, err := e.pd.NewWindow(kind)
	e.must(e.name+": NewWindow", err)
	if mw.Kind() != kind || mw.RKey() != 0 {
		e.Errorf("%s: a new window has kind %d and key %#x, want %d and none", e.name, mw.Kind(), mw.RKey(), kind)
	}
	return mw
}

func bindWR(mw hca.MW, r *region, off, n int, access hca.Access) hca.SendWR {
	return hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: mw, MR: r.mr, Addr: r.at(off), Len: uint64(n), Access: access}}
}

// bind binds a window to n bytes of r and gives its key.
func (e *end) bind(mw hca.MW, r *region, off, n int, access hca.Access) hca.Key {
	e.Helper()
	wr := bindWR(mw, r, off, n, access)
	id := e.post(wr)
	key := wr.Bind.Key
	if mw.RKey() != key {
		e.Errorf("%s: the bind's key is %#x, the window's %#x", e.name, key, mw.RKey())
	}
	wc := e.sq.next("bind")
	e.match(wc, want{id: id, op: hca.OpBind, len: wc.Len})
	return key
}

func (e *end) unbind(mw hca.MW) {
	e.Helper()
	id := e.post(hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: mw}})
	wc := e.sq.next("unbind")
	e.match(wc, want{id: id, op: hca.OpBind, len: wc.Len})
}

// via makes a request use another key.
func via(wr hca.SendWR, key hca.Key) hca.SendWR {
	wr.RKey = key
	return wr
}

func windowKilled(t *env, kind hca.WindowKind) {
	f := t.fixture(hca.Options{})
	for what, kill := range map[string]func(e *end, mw hca.MW, r *region){
		"unbound": func(e *end, mw hca.MW, r *region) { e.unbind(mw) },
		"bound again": func(e *end, mw hca.MW, r *region) {
			if kind == hca.EndpointWindow {
				e.unbind(mw) // verbs type 2 windows are bound once
			}
			e.bind(mw, r, 0, 64, hca.RemoteWrite)
		},
		"closed": func(e *end, mw hca.MW, r *region) { e.must("MW.Close", mw.Close()) },
	} {
		c := f.pair()
		r := c.b.region(64, c.b.all())
		mw := c.b.window(kind)
		key := c.b.bind(mw, r, 0, 64, hca.RemoteWrite)
		c.a.do(via(write(r, 0, c.a.mail.seg(0, 8)), key))
		c.settle(c.a)
		kill(c.b, mw, r)
		fill(c.a.mail.b, 1)
		paint(r.b, 0)
		c.refused("a key of a window that was "+what, c.a, via(write(r, 0, c.a.mail.seg(0, 8)), key))
		r.still(what, 0, 64, 0)
	}
}

func windowInUse(t *env, kind hca.WindowKind) {
	c := t.pair()
	r, r2 := c.b.region(64, c.b.all()), c.b.region(64, c.b.all())
	mw, mw2 := c.b.window(kind), c.b.window(kind)
	key := c.b.bind(mw, r, 0, 64, hca.RemoteRead)
	c.b.bind(mw2, r, 0, 32, hca.RemoteRead)
	t.code("MR.Close with two windows", r.mr.Close(), hca.InUse)
	c.b.unbind(mw2)
	t.code("MR.Close with one window", r.mr.Close(), hca.InUse)
	c.a.do(via(read(r, 0, c.a.mail.seg(0, 8)), key)) // nothing was revoked by it
	c.a.do(read(r, 0, c.a.mail.seg(0, 8)))
	t.must("MW.Close", mw.Close())
	t.must("MR.Close with its windows unbound and closed", r.mr.Close())
	c.b.bind(mw2, r2, 0, 64, hca.RemoteRead)
	t.code("MR.Close of the other region", r2.mr.Close(), hca.InUse)
	c.b.unbind(mw2)
	t.must("MR.Close with its window unbound", r2.mr.Close())
	c.expectAlive("after InUse")
}

func zoneScope(t *env) {
	f := t.fixture(hca.Options{})
	if !f.b.can(hca.CapZoneWindows) {
		t.Logf("no zone windows; their refusal is checked under attributes")
		return
	}
	c, c2 := f.pair(), f.pair()
	r := c.b.region(64, c.b.all())
	key := c.b.bind(c.b.window(hca.ZoneWindow), r, 0, 64, hca.RemoteWrite)
	for _, x := range []*conn{c, c2} {
		x.a.do(via(write(r, 0, x.a.mail.seg(0, 8)), key))
		x.settle(x.a)
	}
	other := f.pair(setup{}, setup{pd: f.b.domain()})
	other.refused("a queue pair of another domain", other.a, via(write(r, 0, other.a.mail.seg(0, 8)), key))
	c.close() // the window outlives the queue pair it was bound through
	c2.a.do(via(write(r, 0, c2.a.mail.seg(0, 8)), key))
	c2.settle(c2.a)
}

func endpointScope(t *env) {
	f := t.fixture(hca.Options{})
	if !f.b.can(hca.CapEndpointWindows) {
		t.Logf("no endpoint windows; their refusal is checked under attributes")
		return
	}
	c, c2 := f.pair(), f.pair()
	r := c.b.region(64, c.b.all())
	key := c.b.bind(c.b.window(hca.EndpointWindow), r, 0, 64, hca.RemoteWrite)
	c.a.do(via(write(r, 0, c.a.mail.seg(0, 8)), key))
	c.settle(c.a)
	// Whichever way leads to the region, both sides have it by now.
	for range 50 {
		c2.a.do(write(r, 0, c2.a.mail.seg(0, 8)))
	}
	c2.settle(c2.a)
	fill(c2.a.mail.b, 3)
	paint(r.b, 0)
	c2.refused("another queue pair of the domain", c2.a, via(write(r, 0, c2.a.mail.seg(0, 8)), key))
	r.still("another queue pair", 0, 64, 0)
	c.a.do(via(write(r, 0, c.a.mail.seg(0, 8)), key)) // its own goes on
	c.settle(c.a)
}
