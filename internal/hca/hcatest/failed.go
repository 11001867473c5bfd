package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var failedCases = []Case{
	{"failed requests", "nothing behind a bad segment succeeds or stays silent", behindBadSegment},
	{"failed requests", "nothing behind a bind that fails succeeds or stays silent", perKind(behindBadBind)},
	{"failed requests", "nothing behind a request whose memory goes meanwhile succeeds or stays silent", behindFreed},
	{"failed requests", "nothing behind a long transfer that fails half-way succeeds or stays silent", behindHalf},
}

// followers are posted after a request that fails: one request of each kind that the
// connection supports, with each flag that affects its entry.
func (c *conn) followers() (wrs []hca.SendWR) {
	c.Helper()
	local, in := c.a.mail.seg(0, 8), c.a.mail.seg(8, 8)
	for _, flags := range []hca.Flags{0, hca.Suppress, hca.Quiet, hca.Suppress | hca.Quiet} {
		wrs = append(wrs, with(send(local), flags), with(write(c.b.mail, 16, local), flags), with(read(c.b.mail, 24, in), flags))
		if c.a.has(hca.CapAtomics) {
			wrs = append(wrs, with(addWord(c.b.mail, 32, in, 1), flags))
		}
		if c.a.has(hca.CapWriteImm) {
			wrs = append(wrs, with(remote(hca.OpWriteImm, c.b.mail, 16, local), flags))
		}
		for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
			if c.a.can(windowCap(kind)) {
				wrs = append(wrs, with(bindWR(c.a.window(kind), c.a.mail, 0, 8, hca.RemoteRead), flags))
			}
		}
	}
	return wrs
}

// leaders are posted before it, and succeed.
func (c *conn) leaders() []hca.SendWR {
	local, in := c.a.mail.seg(0, 8), c.a.mail.seg(8, 8)
	return []hca.SendWR{
		with(send(local), hca.Suppress), write(c.b.mail, 0, local), with(write(c.b.mail, 8, local), hca.Suppress), send(local), read(c.b.mail, 0, in),
	}
}

// number gives the requests of a list their numbers.
func (e *end) number(wrs ...hca.SendWR) []hca.SendWR {
	for i := range wrs {
		wrs[i].ID = e.id()
	}
	return wrs
}

// fails posts a request that will fail between others, in one batch or one by one. The
// peer has a receive for each message. It returns false if the adapter refused the bad
// request at once, and checks the entries otherwise.
func (c *conn) fails(what string, at bool, bad hca.SendWR, statuses ...hca.Status) bool {
	c.Helper()
	before := c.a.number(c.leaders()...)
	bad = c.a.number(bad)[0]
	behind := c.a.number(c.followers()...)
	for range 12 {
		c.b.receive(c.b.mail.seg(40, 8))
	}
	all := append(append(append([]hca.SendWR(nil), before...), bad), behind...)
	if at {
		n, err := c.a.qp.PostSends(all)
		if n == len(before) && err != nil {
			return false
		}
		if err != nil {
			c.Fatalf("%s: PostSends took %d: %v", what, n, err)
		}
	} else {
		for _, wr := range all {
			err := c.a.qp.PostSend(wr)
			if wr.ID == bad.ID && err != nil {
				return false
			}
			c.must(what+": PostSend", err)
		}
	}
	c.failed(what, before, bad, behind, statuses...)
	return true
}

// failed checks the entries of requests that were posted around one that fails: those
// before it succeed, it has one of the statuses, and each one after it is flushed.
func (c *conn) failed(what string, before []hca.SendWR, bad hca.SendWR, behind []hca.SendWR, statuses ...hca.Status) {
	c.Helper()
	wc := c.a.sq.next(what)
	for _, wr := range before {
		switch loose := c.h.LooseStatus && wc.ID == wr.ID && wc.Status == hca.StatusFlushed; {
		case loose:
		case wr.Flags&hca.Suppress != 0:
			continue
		default:
			c.a.match(wc, want{id: wr.ID, op: wr.Op, len: length(wr), flags: wr.Flags})
		}
		wc = c.a.sq.next(what)
	}
	c.a.one(what, wc, bad.ID, bad.Op, statuses)
	for _, wr := range behind {
		c.a.sent(want{id: wr.ID, op: wr.Op, flags: wr.Flags, status: hca.StatusFlushed})
	}
	c.a.ev.broken(what)
	c.b.ev.end(what)
	c.a.idle(what)
	c.close()
	c.a.sq.empty(what)
}

// requestKinds are the operations that use local memory, and the right each needs.
func (e *end) requestKinds() map[hca.Op]hca.Access {
	kinds := map[hca.Op]hca.Access{hca.OpSend: hca.LocalRead, hca.OpWrite: hca.LocalRead, hca.OpRead: hca.LocalWrite}
	if e.has(hca.CapAtomics) {
		kinds[hca.OpFetchAdd], kinds[hca.OpCompareSwap] = hca.LocalWrite, hca.LocalWrite
	}
	if e.has(hca.CapWriteImm) {
		kinds[hca.OpWriteImm] = hca.LocalRead
	}
	if e.has(hca.CapSendImm) {
		kinds[hca.OpSendImm] = hca.LocalRead
	}
	return kinds
}

func behindBadSegment(t *env) {
	f := t.fixture(hca.Options{})
	probe := f.pair()
	for op, need := range probe.a.requestKinds() {
		for how, seg := range probe.a.bad(need) {
			for _, at := range []bool{false, true} {
				c := f.pair()
				c.fails(op.String()+" with "+how, at, remote(op, c.b.mail, 0, seg), hca.StatusLocalProtection)
				c.close()
			}
		}
	}
	probe.expectAlive("beside local errors")
}

func behindBadBind(t *env, kind hca.WindowKind) {
	f := t.fixture(hca.Options{})
	for _, at := range []bool{false, true} {
		c := f.pair()
		r := c.a.region(64, c.a.all())
		wr := bindWR(c.a.window(kind), r, 0, 64, hca.RemoteRead)
		t.must("MR.Close", r.mr.Close())
		c.fails("a bind of a freed region", at, wr, hca.StatusBindFailed)
		c.close()

		c = f.pair()
		mw := c.a.window(kind)
		r = c.a.region(64, c.a.all())
		wr = bindWR(mw, r, 0, 64, hca.RemoteRead)
		t.must("MW.Close", mw.Close())
		c.fails("a bind of a closed window", at, wr, hca.StatusBindFailed)
		c.close()
		t.must("MR.Close: no window was bound", r.mr.Close())
	}
}
