package hcatest

import "github.com/godapl/godapl/internal/hca"

var modifyCases = []Case{
	{"modification", "other rights hold at once, under the same keys", modifyRights},
	{"modification", "no byte changes after the right to write was withdrawn", modifyUnderWrites},
	{"modification", "what cannot be has no effect", modifyRefused},
}

// modifier is the region as one whose rights can change; nil if the adapter has none.
func (r *region) modifier() hca.Modifier {
	m, _ := r.mr.(hca.Modifier)
	if m == nil {
		r.Logf("not checked: the adapter cannot change the rights of a region")
	}
	return m
}

func modifyRights(t *env) {
	f := t.fixture(hca.Options{})
	far := f.b.region(4096, hca.LocalRead|hca.RemoteRead)
	m := far.modifier()
	if m == nil {
		return
	}
	lkey, rkey := far.mr.LKey(), far.mr.RKey()
	for range 3 {
		c := f.pair()
		local := c.a.region(4096, hca.LocalRead|c.a.sink())
		paint(local.b, 0x55)
		paint(far.b, 0x44)
		t.must("Modify", m.Modify(f.b.all()))
		if far.mr.LKey() != lkey || far.mr.RKey() != rkey {
			t.Errorf("the keys are %#x and %#x, were %#x and %#x", far.mr.LKey(), far.mr.RKey(), lkey, rkey)
		}
		c.a.do(write(far, 64, local.seg(0, 8)))
		c.a.do(read(far, 64, local.seg(8, 8)))
		c.settle(c.a)
		far.still("before and behind a write", 0, 64, 0x44)
		far.still("a write after Modify", 64, 8, 0x55)

		t.must("Modify", m.Modify(hca.LocalRead|hca.RemoteRead))
		c.a.do(read(far, 0, local.seg(8, 8)))
		local.still("a read after Modify", 8, 8, 0x44)
		c.refused("write without the right", c.a, write(far, 0, local.seg(0, 8)))
		far.still("a refused write", 0, 64, 0x44)

		c = f.pair()
		wr := read(far, 0, local.seg(0, 8))
		t.must("Modify", m.Modify(hca.LocalRead))
		if k := far.mr.RKey(); k != 0 {
			t.Errorf("the remote key is %#x without a remote right", k)
		}
		if !t.h.LooseReads {
			c.refused("read without the right", c.a, wr)
			local.still("a refused read", 0, 8, 0x55)
		}
		c.close()
		t.must("Modify", m.Modify(hca.LocalRead|hca.RemoteRead))
	}
	far.guards("Modify")
}

func modifyUnderWrites(t *env) {
	f := t.fixture(hca.Options{})
	for round := range revokeRounds {
		c := f.pair()
		far := c.b.region(revokeLen, c.b.all())
		m := far.modifier()
		if m == nil {
			return
		}
		src := c.a.region(revokeLen, hca.LocalRead)
		paint(src.b, before)
		wr := write(far, 0, src.seg(0, revokeLen))
		c.revoke(round, c.a, func(int) hca.SendWR { return wr }, func() error { return m.Modify(c.b.all() &^ hca.RemoteWrite) }, far)
		c.over("Modify")
		c.revoked(func() { far.still("a region that may not be written to", 0, revokeLen, after) })
		far.guards("Modify")
	}
}

func modifyRefused(t *env) {
	c := t.pair()
	far := c.b.region(64, c.b.all())
	m := far.modifier()
	if m == nil {
		return
	}
	key := far.mr.RKey()
	refused := func(what string, access hca.Access, code hca.Code) {
		t.Helper()
		t.code("Modify "+what, m.Modify(access), code)
		if k := far.mr.RKey(); k != key {
			t.Errorf("%s: the remote key is %#x, was %#x", what, k, key)
		}
		c.a.do(write(far, 0, c.a.mail.seg(0, 8))) // the rights are what they were
		c.a.do(read(far, 0, c.a.mail.seg(8, 8)))
	}
	refused("with unknown rights", 0x80, hca.Invalid)
	for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
		if !c.b.can(windowCap(kind)) {
			continue
		}
		w := c.b.window(kind)
		k := c.b.bind(w, far, 0, 64, hca.RemoteWrite)
		refused("with a window bound to it", hca.LocalRead, hca.InUse)
		c.a.do(via(write(far, 0, c.a.mail.seg(0, 8)), k))
		c.settle(c.a)
		t.must("MW.Close", w.Close())
	}
	if pages := mappedPages(t.TB, 2, 1); pages != nil {
		fixed, err := c.b.pd.Register(hca.Memory{Bytes: pages[len(pages)/2:]}, hca.LocalRead|hca.RemoteRead)
		t.must("Register pages that may be read", err)
		key := fixed.RKey()
		t.code("Modify for pages that may not be written to", fixed.(hca.Modifier).Modify(hca.LocalWrite|hca.RemoteWrite), hca.Privileges)
		if fixed.RKey() != key {
			t.Errorf("pages that may not be written to: the remote key is %#x, was %#x", fixed.RKey(), key)
		}
		t.must("MR.Close", fixed.Close())
	}
	t.must("Modify with no window bound", m.Modify(hca.LocalRead|hca.RemoteRead))
	t.must("MR.Close", far.mr.Close())
	t.code("Modify of a closed region", m.Modify(hca.LocalRead), hca.Closed)
}
