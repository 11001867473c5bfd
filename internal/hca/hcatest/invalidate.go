package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var invalidateCases = []Case{
	{"send with invalidate", "revokes an endpoint window before the receive completes", invalidate},
	{"send with invalidate", "of any other key is refused and revokes nothing", invalidateRefused},
}

func sendInvalidate(seg hca.Segment, key hca.Key) hca.SendWR {
	return via(request(hca.OpSendInvalidate, seg), key)
}

func invalidate(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	if c.lacks(hca.CapSendInvalidate, sendInvalidate(c.a.mail.seg(0, 8), c.b.mail.mr.RKey())) {
		return
	}
	if !c.b.can(hca.CapEndpointWindows) {
		t.Logf("no endpoint windows: nothing may be invalidated; the refusals are checked below")
		return
	}
	r := c.b.region(64, c.b.all())
	src, dst := c.a.region(70000, hca.LocalRead), c.b.region(70000, hca.LocalWrite)
	mw := c.b.window(hca.EndpointWindow)
	var key hca.Key
	lens := sizes(70000)
	for i := range 20 {
		n := lens[i%len(lens)]
		key = c.b.bind(mw, r, 0, 64, hca.RemoteWrite)
		c.a.do(via(write(r, 0, c.a.mail.seg(0, 8)), key))
		fill(src.b[:n], i)
		id := c.b.receive(dst.seg(0, 70000))
		c.a.do(sendInvalidate(src.seg(0, n), key))
		wc := c.b.got(want{id: id, op: hca.OpRecvInvalidate, len: uint64(n)})
		if wc.RKey != key {
			t.Errorf("revoked key %#x, want %#x", wc.RKey, key)
		}
		dst.holds("message", 0, n, i)
	}
	// The window is unbound by it: its region is free.
	t.must("MR.Close", r.mr.Close())
	paint(r.b, 0)
	c.refused("a write with the invalidated key", c.a, via(write(r, 0, c.a.mail.seg(0, 8)), key))
	r.still("a write with the invalidated key", 0, 64, 0)
}

func invalidateRefused(t *env) {
	f := t.fixture(hca.Options{})
	witness := f.pair() // shows that the key is still good
	if witness.lacks(hca.CapSendInvalidate, sendInvalidate(witness.a.mail.seg(0, 8), witness.b.mail.mr.RKey())) {
		return
	}
	r := witness.b.region(64, witness.b.all())
	local := witness.b.region(64, witness.b.all()&^hca.RemoteAll)
	keys := map[string]func(c *conn) hca.Key{
		"a region's key": func(c *conn) hca.Key { return r.mr.RKey() },
		"an unknown key": func(c *conn) hca.Key { return r.mr.RKey() ^ 0x5A5A5A5A },
		"a local key":    func(c *conn) hca.Key { return local.mr.LKey() },
	}
	if f.b.can(hca.CapZoneWindows) {
		key := witness.b.bind(witness.b.window(hca.ZoneWindow), r, 0, 64, hca.RemoteWrite)
		keys["a zone window's key"] = func(c *conn) hca.Key { return key }
	}
	if f.b.can(hca.CapEndpointWindows) && !t.h.LooseWindows {
		key := witness.b.bind(witness.b.window(hca.EndpointWindow), r, 0, 64, hca.RemoteWrite)
		keys["another queue pair's window"] = func(c *conn) hca.Key { return key }
	}
	if t.h.LooseInvalidation {
		delete(keys, "a region's key")
		delete(keys, "a local key")
	}
	for what, key := range keys {
		c := f.pair()
		k := key(c)
		id := c.b.receive(c.b.mail.seg(0, 8))
		behind := c.b.receive(c.b.mail.seg(8, 8))
		sent := c.a.post(sendInvalidate(c.a.mail.seg(0, 8), k))
		wc := c.a.sq.next(what)
		statuses := []hca.Status{hca.StatusRemoteAccess, hca.StatusRemoteInvalid, hca.StatusRemoteOp}
		if !c.a.info.Acked {
			statuses = []hca.Status{hca.StatusOK, hca.StatusFlushed}
		}
		if t.h.LooseStatus { // rxe acknowledges first and refuses then
			statuses = append(statuses, hca.StatusOK)
		}
		c.a.one(what, wc, sent, hca.OpSendInvalidate, statuses)
		accepted := wc.Status == hca.StatusOK
		// Its receive fails, or is given back if the refusal came first.
		wc = c.b.rq.next(what)
		if wc.ID != id || wc.Status == hca.StatusOK {
			t.Errorf("%s: receive %d completed with %v, want %d to fail", what, wc.ID, wc.Status, id)
		}
		c.b.flushed(behind)
		if c.b.ev.broken(what); accepted && t.h.LooseStatus {
			c.a.ev.end(what)
		} else {
			c.a.ev.broken(what)
		}
		c.close()
		if what != "an unknown key" && what != "a local key" {
			witness.a.do(via(write(r, 0, witness.a.mail.seg(0, 8)), k))
			witness.settle(witness.a)
		}
	}
	witness.expectAlive("after refusals")
}
