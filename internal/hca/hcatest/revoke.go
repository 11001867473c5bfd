package hcatest

import (
	"errors"
	"runtime"

	"github.com/godapl/godapl/internal/hca"
)

var revokeCases = []Case{
	{"revocation", "no byte of a freed region changes, whoever writes", revokeTarget},
	{"revocation", "no byte of a freed region is read by the peer afterwards", revokeSource},
	{"revocation", "no byte of a freed region is sent afterwards", revokeLocal},
	{"revocation", "no message lands in a freed region", revokeReceive},
	{"revocation", "closing a window stops its writers", revokeWindow},
}

const (
	revokeLen    = 256 << 10
	revokeRounds = 6
	before       = 0xEE // painted while the region is registered
	after        = 0x11 // painted when it is not
)

// revoke runs a stream on from, calls kill in the middle of it and paints the
// memory that is free then. The stream must end by that.
func (c *conn) revoke(round int, from *end, next func(int) hca.SendWR, kill func() error, freed *region) {
	c.Helper()
	ended := from.streaming(next)
	for range round * 2 { // on one processor each takes a time slice
		runtime.Gosched()
	}
	c.must("revocation", c.within("revocation", kill))
	paint(freed.b, after)
	from.stopped("revocation", ended)
}

// revoked checks the memory that no transfer may have changed.
func (c *conn) revoked(check func()) {
	if !c.h.LooseRevocation {
		check()
	}
}

// over waits for the end of both sides and closes them.
func (c *conn) over(what string) {
	c.Helper()
	c.a.ev.broken(what)
	c.b.ev.end(what)
	c.close()
}

func revokeTarget(t *env) {
	f := t.fixture(hca.Options{})
	for round := range revokeRounds {
		c := f.pair()
		src, dst := c.a.region(revokeLen, hca.LocalRead), c.b.region(revokeLen, c.b.all())
		paint(src.b, before)
		c.revoke(round, c.a, func(int) hca.SendWR { return write(dst, 0, src.seg(0, revokeLen)) }, dst.mr.Close, dst)
		c.over("writes into a freed region")
		c.revoked(func() { dst.still("after MR.Close", 0, revokeLen, after) })
		dst.guards("after MR.Close")
	}
}

func revokeSource(t *env) {
	f := t.fixture(hca.Options{})
	for round := range revokeRounds {
		c := f.pair()
		src, dst := c.b.region(revokeLen, c.b.all()), c.a.region(2*revokeLen, c.a.sink())
		paint(src.b, before)
		paint(dst.b, before)
		kill := src.mr.Close
		if t.h.EndlessReads {
			kill = func() error { return errors.Join(src.mr.Close(), c.a.qp.Disconnect(false)) }
		}
		c.revoke(round, c.a, func(i int) hca.SendWR {
			return read(src, 0, dst.seg(i%2*revokeLen, revokeLen))
		}, kill, src)
		if t.h.EndlessReads {
			c.a.ev.end("reads of a freed region, given up") // or refused at its beginning
			c.b.ev.end("reads of a freed region, given up")
			c.close()
		} else {
			c.over("reads of a freed region")
		}
		c.revoked(func() { dst.still("read after MR.Close", 0, 2*revokeLen, before) })
	}
}

func revokeLocal(t *env) {
	f := t.fixture(hca.Options{})
	for round := range revokeRounds {
		c := f.pair()
		src, dst := c.a.region(revokeLen, hca.LocalRead), c.b.region(revokeLen, c.b.all())
		paint(src.b, before)
		paint(dst.b, before)
		c.revoke(round, c.a, func(int) hca.SendWR { return write(dst, 0, src.seg(0, revokeLen)) }, src.mr.Close, src)
		c.over("writes from a freed region")
		c.revoked(func() { dst.still("sent after MR.Close", 0, revokeLen, before) })
	}
}

func revokeReceive(t *env) {
	f := t.fixture(hca.Options{})
	for round := range revokeRounds {
		c := f.pair(setup{}, setup{recv: 500, entries: 1000})
		src, dst := c.a.region(revokeLen, hca.LocalRead), c.b.region(revokeLen, hca.LocalWrite)
		paint(src.b, before)
		for range limit(500, c.b.attr.MaxRecvWR) {
			c.b.receive(dst.seg(0, revokeLen))
		}
		c.revoke(round, c.a, func(int) hca.SendWR { return send(src.seg(0, revokeLen)) }, func() error {
			err := dst.mr.Close()
			// If the stream has used all receives, it finds this one.
			c.b.rq.drain() // used receives keep their slots until then
			c.b.qp.PostRecv(hca.RecvWR{Local: dst.seg(0, revokeLen)})
			return err
		}, dst)
		c.b.ev.broken("messages into a freed region")
		c.a.ev.end("messages into a freed region")
		c.close()
		c.revoked(func() { dst.still("after MR.Close", 0, revokeLen, after) })
		dst.guards("after MR.Close")
	}
}

func revokeWindow(t *env) {
	f := t.fixture(hca.Options{})
	for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
		if !f.b.can(windowCap(kind)) {
			t.Logf("no windows of kind %d; their refusal is checked under attributes", kind)
			continue
		}
		for round := range revokeRounds {
			c := f.pair()
			src, dst := c.a.region(revokeLen, hca.LocalRead), c.b.region(revokeLen, c.b.all())
			mw := c.b.window(kind)
			key := c.b.bind(mw, dst, 0, revokeLen, hca.RemoteWrite)
			paint(src.b, before)
			kill := mw.Close
			if round%2 == 1 {
				kill = func() error {
					id := c.b.post(hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: mw}})
					wc := c.b.sq.next("unbind")
					w := want{id: id, op: hca.OpBind, len: wc.Len}
					if t.h.LooseStatus && wc.Status != hca.StatusOK {
						w.status = hca.StatusFlushed // the write that it stopped ended the connection first
					}
					c.b.match(wc, w)
					return nil
				}
			}
			c.revoke(round, c.a, func(int) hca.SendWR {
				return via(write(dst, 0, src.seg(0, revokeLen)), key)
			}, kill, dst)
			c.over("writes through a window that is gone")
			if !t.h.LooseWindows {
				dst.still("after the window was closed", 0, revokeLen, after)
			}
		}
	}
}
