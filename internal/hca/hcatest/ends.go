package hcatest

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

var endCases = []Case{
	{"end", "all flushed entries can be polled when the event is delivered", flushBeforeEvent},
	{"end", "what was posted comes back once, in order, behind what was done", flushOrder},
	{"end", "the event says who asked and why", endCause},
}

// enders end a connection in different ways. The last one breaks it.
var enders = []struct {
	name string
	end  func(c *conn)
}{
	{"graceful by the dialer", func(c *conn) { c.must("Disconnect", c.a.qp.Disconnect(true)) }},
	{"graceful by the listener", func(c *conn) { c.must("Disconnect", c.b.qp.Disconnect(true)) }},
	{"abrupt by the dialer", func(c *conn) { c.must("Disconnect", c.a.qp.Disconnect(false)) }},
	{"abrupt by the listener", func(c *conn) { c.must("Disconnect", c.b.qp.Disconnect(false)) }},
	{"Close by the dialer", func(c *conn) { c.a.close() }},
	{"Close by the listener", func(c *conn) { c.b.close() }},
	{"a refused access", func(c *conn) {
		wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
		wr.RKey ^= 1
		c.a.post(with(wr, hca.Suppress))
	}},
}

func flushBeforeEvent(t *env) {
	f := t.fixture(hca.Options{})
	for _, ender := range enders {
		var mu sync.Mutex
		there := map[*end][]hca.WC{}
		hook := func(e *end, ev hca.ConnEvent) {
			if ev.Kind == hca.EventDisconnected || ev.Kind == hca.EventBroken {
				mu.Lock()
				defer mu.Unlock()
				there[e] = e.rq.drain()
			}
		}
		c := f.pair(setup{hook: hook})
		posted := map[*end][]uint64{}
		for _, e := range c.ends() {
			for range 9 {
				posted[e] = append(posted[e], e.receive(e.mail.seg(0, 8)))
			}
		}
		ender.end(c)
		for _, e := range c.ends() {
			e.ev.end(ender.name)
		}
		c.close() // so all callbacks have returned
		mu.Lock()
		for _, e := range c.ends() {
			if len(there[e]) != len(posted[e]) {
				t.Errorf("%s: %s: %d of %d entries when the event came", ender.name, e.name, len(there[e]), len(posted[e]))
			}
			for i, wc := range there[e] {
				e.match(wc, want{id: posted[e][min(i, 8)], op: hca.OpRecv, status: hca.StatusFlushed})
			}
			e.rq.empty(ender.name)
			e.idle(ender.name)
		}
		mu.Unlock()
	}
}

func flushOrder(t *env) {
	f := t.fixture(hca.Options{})
	for _, ender := range enders[2:6] { // the enders that do not wait for posted requests
		c := f.pair()
		src := c.a.region(4096, c.a.all())
		dst := c.b.region(4096, c.b.all())
		var ids []uint64
		for i := range 12 { // two that complete, then sends without receives, and requests that wait after them
			switch {
			case i < 2 || i > 6:
				ids = append(ids, c.a.post(write(dst, 0, src.seg(0, 4096))))
			case f.h.NoReceiveWait:
				ids = append(ids, c.a.post(read(dst, 0, src.seg(0, 4096))))
			default:
				ids = append(ids, c.a.post(send(src.seg(0, 4096))))
			}
		}
		ender.end(c)
		c.b.spare(8)
		over := false
		for i, id := range ids {
			wc := c.a.sq.next(ender.name)
			if wc.ID != id {
				t.Errorf("%s: entry %d is number %d, want %d", ender.name, i, wc.ID, id)
			}
			switch {
			case t.h.status(wc.Status, hca.StatusFlushed):
				over = true
			case c.a.info.Acked && i >= 2 && (wc.Status == hca.StatusRemoteInvalid || wc.Status == hca.StatusRemoteOp):
				over = true // it met a receive of spare, which is too small, before the end
			case wc.Status != hca.StatusOK:
				t.Errorf("%s: number %d: %v", ender.name, wc.ID, wc.Status)
			case over:
				t.Errorf("%s: number %d succeeded behind one that was flushed", ender.name, wc.ID)
			}
		}
		for _, e := range c.ends() {
			e.ev.end(ender.name)
			e.idle(ender.name)
		}
		c.close()
		c.a.sq.empty(ender.name)
	}
}

// spare posts receives for messages that wait for one. Over a transport that delivers
// in order such messages may delay the news of the end.
func (e *end) spare(n int) {
	for range n {
		e.qp.PostRecv(hca.RecvWR{Local: e.mail.seg(8, 8)}) // closed already: as well
	}
}

func endCause(t *env) {
	f := t.fixture(hca.Options{})
	for _, ender := range enders {
		c := f.pair()
		ender.end(c)
		for _, e := range c.ends() {
			ev := e.ev.end(ender.name)
			asked := map[string]*end{"dialer": c.a, "listener": c.b}
			mine := false
			for who, x := range asked {
				mine = mine || x == e && ender.name != "a refused access" && ender.name[len(ender.name)-len(who):] == who
			}
			switch {
			case ender.name == "a refused access":
				if ev.Kind != hca.EventBroken && !t.h.LooseRefusal {
					t.Errorf("%s: %s: event %d, want broken", ender.name, e.name, ev.Kind)
				}
				c.cause(ender.name, ev)
			case ev.Kind != hca.EventDisconnected:
				t.Errorf("%s: %s: event %d (%v), want disconnected", ender.name, e.name, ev.Kind, ev.Err)
			case mine && ev.Err != nil:
				t.Errorf("%s: %s asked for it and is told %v", ender.name, e.name, ev.Err)
			case !mine:
				t.code(ender.name+": "+e.name, ev.Err, hca.Disconnected)
			}
		}
		c.close()
	}
}
