package hcatest

import (
	"strings"

	"github.com/godapl/godapl/internal/hca"
)

func windowGrants(t *env, kind hca.WindowKind) {
	c := t.pair()
	r := c.b.region(256, c.b.all())
	local := c.a.region(256, hca.LocalRead|c.a.sink())
	key := c.b.bind(c.b.window(kind), r, 64, 128, hca.RemoteRead|hca.RemoteWrite)
	fill(local.b[:128], 1)
	c.a.do(via(write(r, 64, local.seg(0, 128)), key))
	c.settle(c.a)
	r.holds("through the window", 64, 128, 1)
	r.still("before the window", 0, 64, 0)
	r.still("behind the window", 192, 64, 0)
	c.a.do(via(read(r, 64, local.seg(128, 128)), key))
	local.holds("through the window", 128, 128, 1)
	if noAtomics(c) {
		return
	}
	key = c.b.bind(c.b.window(kind), r, 64, 8, hca.RemoteAtomic)
	c.a.do(via(addWord(r, 64, local.seg(0, 8), 1), key))
}

func windowKeys(t *env, kind hca.WindowKind) {
	c := t.pair()
	r := c.b.region(64, c.b.all())
	mw := c.b.window(kind)
	seen := map[hca.Key]bool{r.mr.RKey(): true}
	for range 50 {
		key := c.b.bind(mw, r, 0, 64, hca.RemoteRead)
		if key == 0 || seen[key] {
			t.Errorf("key %#x was used before", key)
		}
		seen[key] = true
		c.a.do(via(read(r, 0, c.a.mail.seg(0, 8)), key))
		c.b.unbind(mw)
	}
	c.b.unbind(mw) // unbinding an unbound window does nothing
}

func windowRightBehind(t *env, kind hca.WindowKind) {
	c := t.pair()
	r := c.b.region(64, c.b.all())
	for i := range 20 {
		mw := c.b.window(kind)
		id := c.a.receive(c.a.mail.seg(0, 8))
		wr := bindWR(mw, r, 0, 64, hca.RemoteWrite)
		bound := c.b.post(wr)
		sent := c.b.post(send(c.b.mail.seg(0, 8)))
		c.a.got(want{id: id, op: hca.OpRecv, len: 8})
		fill(c.a.mail.b[8:16], i)
		c.a.do(via(write(r, 8, c.a.mail.seg(8, 8)), wr.Bind.Key)) // before the bind's completion is polled
		c.settle(c.a)
		r.holds("through the window", 8, 8, i)
		wc := c.b.sq.next("bind")
		c.b.match(wc, want{id: bound, op: hca.OpBind, len: wc.Len})
		c.b.sent(want{id: sent, op: hca.OpSend, len: 8})
		t.must("MW.Close of a bound window", mw.Close())
	}
}

func windowRights(t *env, kind hca.WindowKind) {
	f := t.fixture(hca.Options{})
	for _, try := range []struct {
		what   string
		access hca.Access
		wr     func(r *region, local *region) hca.SendWR
	}{
		{"a write through a window for reading", hca.RemoteRead,
			func(r, l *region) hca.SendWR { return write(r, 64, l.seg(0, 8)) }},
		{"a read through a window for writing", hca.RemoteWrite,
			func(r, l *region) hca.SendWR { return read(r, 64, l.seg(0, 8)) }},
		{"a write one byte before", hca.RemoteRead | hca.RemoteWrite,
			func(r, l *region) hca.SendWR { return write(r, 63, l.seg(0, 8)) }},
		{"a write one byte behind", hca.RemoteRead | hca.RemoteWrite,
			func(r, l *region) hca.SendWR { return write(r, 128, l.seg(0, 1)) }},
		{"a read one byte over the end", hca.RemoteRead | hca.RemoteWrite,
			func(r, l *region) hca.SendWR { return read(r, 121, l.seg(0, 8)) }},
	} {
		if t.h.LooseWindows && strings.Contains(try.what, "one byte") {
			t.Logf("not checked: %s: this device does not check windows' bounds", try.what)
			continue
		}
		c := f.pair()
		r := c.b.region(256, c.b.all())
		local := c.a.region(64, hca.LocalRead|c.a.sink())
		paint(local.b, 0x55)
		key := c.b.bind(c.b.window(kind), r, 64, 64, try.access)
		c.refused(try.what, c.a, via(try.wr(r, local), key))
		local.still(try.what, 0, 64, 0x55)
		r.still(try.what, 0, 64, 0)
		r.still(try.what, 128, 128, 0)
	}
}
