package hcatest

import "github.com/godapl/godapl/internal/hca"

var adoptCases = []Case{
	{"adoption", "a region moves to another domain under its keys", adoptRegion},
	{"adoption", "what the former domain allowed is refused", adoptForeign},
	{"adoption", "posted work of the former domain fails when its turn comes", adoptUnderWork},
	{"adoption", "no byte changes after a region has moved away", adoptUnderWrites},
	{"adoption", "what cannot be has no effect", adoptRefused},
}

// adopting is a fixture whose listener's domains take over regions. It is nil if they do not,
// which the harness must say.
func (t *env) adopting() *fixture {
	t.Helper()
	f := t.fixture(hca.Options{})
	_, can := f.b.pd.(hca.Adopter)
	if can == t.h.NoAdoption {
		t.Errorf("a domain takes over regions: %v, and the harness says NoAdoption: %v", can, t.h.NoAdoption)
	}
	if !can {
		return nil
	}
	return f
}

// adopt moves the region to a domain.
func (r *region) adopt(pd hca.PD, access hca.Access) error {
	mr, err := pd.(hca.Adopter).Adopt(r.mr, r.mem, access)
	if err == nil {
		r.mr = mr
	}
	return err
}

// movable is a region of a domain of its own, painted 0x44, and memory of the dialer, 0x55.
func (c *conn) movable(pd hca.PD) (far, local *region) {
	c.Helper()
	far, local = c.b.regionIn(pd, 8192, c.b.all()), c.a.region(4096, hca.LocalRead|c.a.sink())
	paint(far.b, 0x44)
	paint(local.b, 0x55)
	return far, local
}

func adoptRegion(t *env) {
	f := t.adopting()
	if f == nil {
		return
	}
	for _, rights := range []hca.Access{f.b.all(), hca.LocalRead | hca.RemoteRead} {
		c, former := f.pair(), f.b.domain()
		far, local := c.movable(former)
		first := far.mr
		for _, to := range []hca.PD{c.b.pd, former, c.b.pd} {
			t.must("Adopt", far.adopt(to, rights))
		}
		if m := far.mr; m.LKey() != first.LKey() || m.RKey() != first.RKey() || m.Addr() != first.Addr() || m.Len() != first.Len() {
			t.Errorf("keys %#x and %#x, %d bytes at %#x; were %#x and %#x, %d at %#x",
				m.LKey(), m.RKey(), m.Len(), m.Addr(), first.LKey(), first.RKey(), first.Len(), first.Addr())
		}
		t.gone("Close of what the region was", first.Close())
		t.must("PD.Close of the former domain", former.Close())

		c.a.do(read(far, 0, local.seg(8, 8)))
		local.still("a read", 8, 8, 0x44)
		id := c.a.receive(local.seg(16, 8))
		c.b.do(send(far.seg(0, 8)))
		c.a.got(want{id: id, op: hca.OpRecv, len: 8})
		local.still("a message from the region", 16, 8, 0x44)
		if rights&hca.RemoteWrite == 0 {
			c.refused("a write without the right", c.a, write(far, 64, local.seg(0, 8)))
			far.still("a refused write", 0, 8192, 0x44)
			t.must("MR.Close", far.mr.Close())
			continue
		}
		c.a.do(write(far, 64, local.seg(0, 8)))
		id = c.b.receive(far.seg(128, 8))
		c.a.do(send(local.seg(0, 8)))
		c.b.got(want{id: id, op: hca.OpRecv, len: 8})
		far.still("a write", 64, 8, 0x55)
		far.still("a message into the region", 128, 8, 0x55)
		far.guards("a region that has moved")
		c.close()
		t.must("MR.Close", far.mr.Close())
	}
}

// adoptForeign: the region is foreign to the queue pairs of the domain that it has left.
func adoptForeign(t *env) {
	f := t.adopting()
	if f == nil {
		return
	}
	for _, a := range accesses {
		former := f.b.domain()
		c := f.pair(setup{}, setup{pd: former})
		if !c.a.has(a.caps) {
			c.close()
			continue
		}
		far, local := c.movable(former)
		c.a.do(read(far, 0, local.seg(0, 8))) // the key is known
		paint(local.b, 0x55)
		t.must("Adopt", far.adopt(f.b.pd, f.b.all()))
		c.refused(a.name+" by a peer of the former domain", c.a, a.wr(far, 64, local))
		untouched(a.name, far, local)

		c = f.pair()
		if a.caps == hca.CapWriteImm {
			c.b.receive()
		}
		c.a.do(a.wr(far, 64, local))
		c.close()
		t.must("MR.Close", far.mr.Close())
	}
}

func adoptUnderWork(t *env) {
	f := t.adopting()
	if f == nil {
		return
	}
	former := f.b.domain()
	c := f.pair(setup{}, setup{pd: former})
	far, local := c.movable(former)
	id := c.b.receive(far.seg(0, 64))
	t.must("Adopt with a receive posted", t.within("Adopt", func() error { return far.adopt(f.b.pd, f.b.all()) }))
	c.a.post(send(local.seg(0, 8)))
	c.b.got(want{id: id, op: hca.OpRecv, status: hca.StatusLocalProtection})
	c.over("a receive in a region that has moved away")
	far.still("a receive in a region that has moved away", 0, 8192, 0x44)

	c = f.pair(setup{}, setup{pd: former})
	kept := c.a.receive(c.a.mail.seg(0, 8))
	id = c.b.post(send(far.seg(0, 8)))
	c.b.sent(want{id: id, op: hca.OpSend, status: hca.StatusLocalProtection})
	c.b.ev.broken("a send from a region that has moved away")
	c.a.ev.end("a send from a region that has moved away")
	c.a.flushed(kept)
	c.close()
	far.guards("a region that has moved away")
}

func adoptUnderWrites(t *env) {
	f := t.adopting()
	if f == nil {
		return
	}
	for round := range revokeRounds {
		former := f.b.domain()
		c := f.pair(setup{}, setup{pd: former})
		far, src := c.b.regionIn(former, revokeLen, c.b.all()), c.a.region(revokeLen, hca.LocalRead)
		paint(src.b, before)
		wr := write(far, 0, src.seg(0, revokeLen))
		c.revoke(round, c.a, func(int) hca.SendWR { return wr }, func() error { return far.adopt(f.b.pd, f.b.all()) }, far)
		c.over("writes into a region that has moved away")
		c.revoked(func() { far.still("a region that has moved away", 0, revokeLen, after) })
		far.guards("a region that has moved away")
	}
}

func adoptRefused(t *env) {
	f := t.adopting()
	if f == nil {
		return
	}
	c, former := f.pair(), f.b.domain()
	far, local := c.movable(c.b.pd)
	move := func(what string, to hca.PD, access hca.Access, code hca.Code) {
		t.Helper()
		t.code("Adopt "+what, far.adopt(to, access), code)
		c.a.do(read(far, 0, local.seg(0, 8))) // it is where it was
	}
	move("with unknown rights", former, 0x80, hca.Invalid)
	move("by another adapter", c.a.pd, hca.LocalRead, hca.Invalid)
	for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
		if c.b.can(windowCap(kind)) {
			w := c.b.window(kind)
			c.b.bind(w, far, 0, 64, hca.RemoteRead)
			move("with a window bound to it", former, c.b.all(), hca.InUse)
			t.must("MW.Close", w.Close())
		}
	}
	t.must("PD.Close: it has taken nothing", former.Close())
	closed := f.b.domain()
	t.must("PD.Close", closed.Close())
	move("by a closed domain", closed, c.b.all(), hca.Closed)
	t.must("MR.Close", far.mr.Close())
	t.code("Adopt of a closed region", far.adopt(f.b.domain(), hca.LocalRead), hca.Closed)
	c.close()
}
