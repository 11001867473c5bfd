package hcatest

import (
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var suppressCases = []Case{
	{"suppress", "thousands of successes leave no entry and never stop the queue", suppressMany},
	{"suppress", "an error leaves an entry", suppressError},
	{"suppress", "what is flushed leaves an entry", suppressFlushed},
	{"suppress", "mixes with entries in order", suppressMixed},
	{"suppress", "holds for every operation", suppressOps},
	{"suppress", "frees its memory with the next success", suppressReuse},
	{"suppress", "does not keep one who sleeps from what comes behind", suppressBefore},
}

// push posts, and while the queue is full waits for it to recycle slots. It
// does not poll.
func (e *end) push(wr hca.SendWR) {
	e.Helper()
	var turn turns
	for end := time.Now().Add(e.h.patience()); ; turn.next() {
		err := e.qp.PostSend(wr)
		if err == nil {
			return
		}
		if !errors.Is(err, hca.QueueFull) {
			e.Fatalf("%s: PostSend of %v: %v", e.name, wr.Op, err)
		}
		if time.Now().After(end) {
			e.Fatalf("%s: the queue is still full after %v; suppressed requests must not stop it", e.name, e.h.patience())
		}
	}
}

func suppressMany(t *env) {
	c := t.pair(setup{send: 8, entries: 16})
	far := c.b.region(8, c.b.all())
	local := c.a.region(8, hca.LocalRead)
	for range 5000 {
		c.a.push(with(write(far, 0, local.seg(0, 8)), hca.Suppress))
	}
	last := c.a.region(8, hca.LocalRead) // the memory of requests may not be changed before they are complete
	fill(last.b, 9)
	wr := write(far, 0, last.seg(0, 8))
	wr.ID = 42
	c.a.push(wr)
	c.a.sent(want{id: 42, op: hca.OpWrite, len: 8}) // the only entry
	c.settle(c.a)
	far.holds("the last write", 0, 8, 9)
	c.a.sq.empty("suppressed")
	c.a.idle("suppressed")
	// All slots are free again.
	for range 8 {
		c.a.post(write(far, 0, local.seg(0, 8)))
	}
}

// suppressReuse changes the memory of suppressed writes as soon as a later write has succeeded.
// The peer must have got what was there before.
func suppressReuse(t *env) {
	const n, rounds = 256 << 10, 24
	c := t.pair()
	far, near, last := c.b.region(rounds*n, c.b.all()), c.a.region(n, hca.LocalRead), c.a.region(8, hca.LocalRead)
	for i := range rounds {
		fill(near.b, i+1)
		for at := 0; at < n; at += n / 2 {
			c.a.post(with(write(far, i*n+at, near.seg(at, n/2)), hca.Suppress))
		}
		id := c.a.post(write(far, i*n, last.seg(0, 0)))
		c.a.sent(want{id: id, op: hca.OpWrite})
	}
	c.settle(c.a)
	for i := range rounds {
		far.holds("a write whose memory was used again", i*n, n, i+1)
	}
}

func suppressError(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	wr := with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Suppress)
	wr.Local.Key ^= 0x5A5A5A // fails on this side, in every transport
	id := c.a.post(wr)
	c.a.sent(want{id: id, op: hca.OpWrite, flags: hca.Suppress, status: hca.StatusLocalProtection})
	c.a.ev.broken("bad local key")
	c.close()

	c = f.pair()
	if c.a.info.Acked {
		wr = with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Suppress)
		wr.RKey ^= 1
		id = c.a.post(wr)
		c.a.sent(want{id: id, op: hca.OpWrite, flags: hca.Suppress, status: hca.StatusRemoteAccess})
	}
}

func suppressFlushed(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	t.must("Disconnect", c.a.qp.Disconnect(false))
	c.a.ev.end("abrupt")
	var ids []uint64
	for range 5 {
		ids = append(ids, c.a.post(with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Suppress)))
	}
	for _, id := range ids {
		c.a.sent(want{id: id, op: hca.OpWrite, flags: hca.Suppress, status: hca.StatusFlushed})
	}
	if t.h.NoReceiveWait {
		return
	}
	// The same for requests under way: sends that find no receive.
	c = f.pair()
	if !c.a.info.Acked {
		return
	}
	ids = nil
	for range 5 {
		ids = append(ids, c.a.post(with(send(c.a.mail.seg(0, 8)), hca.Suppress)))
	}
	t.must("Disconnect", c.a.qp.Disconnect(false))
	for _, id := range ids {
		c.a.sent(want{id: id, op: hca.OpSend, flags: hca.Suppress, status: hca.StatusFlushed})
	}
}

// suppressBefore waits for requests after a suppressed message that its receiver takes
// late. They may need no answer of the peer, and yet complete only after the message.
func suppressBefore(t *env) {
	c := t.pair()
	const n = 1 << 20
	far, near := c.b.region(n, c.b.all()), c.a.region(n, hca.LocalRead|c.a.sink())
	wrs := []hca.SendWR{
		write(far, 0, near.seg(0, 8)), read(far, 0, near.seg(0, 8)),
		write(far, 0, near.seg(0, n)), read(far, 0, near.seg(0, n)),
	}
	if c.a.can(hca.CapZoneWindows) && !t.h.LooseWindows { // rxe fails a bind when it sends the message before it again
		wrs = append(wrs, bindWR(c.a.window(hca.ZoneWindow), c.a.region(64, c.a.all()), 0, 64, hca.RemoteRead))
	}
	if c.a.has(hca.CapAtomics) {
		wrs = append(wrs, addWord(far, 0, near.seg(0, 8), 1))
	}
	for _, wr := range append(wrs, wrs...) {
		var recv uint64
		if t.h.NoReceiveWait {
			recv = c.b.receive(c.b.mail.seg(0, 8))
		}
		c.a.post(with(send(c.a.mail.seg(0, 8)), hca.Suppress))
		id, length := c.a.post(wr), uint64(wr.Local.Len)
		if wr.Bind != nil {
			length = wr.Bind.Len
		}
		got := start(func() error {
			c.a.sent(want{id: id, op: wr.Op, len: length})
			return nil
		})
		if !t.h.NoReceiveWait {
			<-time.After(5 * time.Millisecond) // it mostly sleeps by then
			recv = c.b.receive(c.b.mail.seg(0, 8))
		}
		t.must("entry", t.result("entry", got))
		c.b.got(want{id: recv, op: hca.OpRecv, len: 8})
	}
}

func suppressMixed(t *env) {
	c := t.pair()
	far, source := c.b.region(8, c.b.all()), c.b.region(8, c.b.all())
	local, in := c.a.region(8, hca.LocalRead), c.a.region(8, c.a.sink())
	for range 50 {
		var visible []uint64
		var ops []hca.Op
		for range 30 {
			wr := write(far, 0, local.seg(0, 8))
			if t.rng.IntN(3) == 0 {
				wr = read(source, 0, in.seg(0, 8))
			}
			if t.rng.IntN(2) == 0 {
				c.a.post(with(wr, hca.Suppress))
				continue
			}
			visible, ops = append(visible, c.a.post(wr)), append(ops, wr.Op)
		}
		for i, id := range visible {
			c.a.sent(want{id: id, op: ops[i], len: 8})
		}
		c.settle(c.a) // and suppressed requests after the last one are done
		c.a.sq.empty("suppressed")
	}
	c.a.idle("all done")
}

func suppressOps(t *env) {
	c := t.pair()
	local, in := c.a.region(64, hca.LocalRead), c.a.region(64, c.a.sink())
	wrs := []hca.SendWR{send(local.seg(0, 8)), write(c.b.mail, 0, local.seg(0, 8)), read(c.b.mail, 32, in.seg(0, 8))}
	if c.a.has(hca.CapAtomics) {
		wrs = append(wrs, addWord(c.b.mail, 40, in.seg(0, 8), 1), swapWord(c.b.mail, 48, in.seg(8, 8), 1, 2))
	}
	if c.a.has(hca.CapWriteImm) {
		wrs = append(wrs, remote(hca.OpWriteImm, c.b.mail, 0, local.seg(0, 8)))
	}
	if c.a.has(hca.CapSendImm) {
		wrs = append(wrs, request(hca.OpSendImm, local.seg(0, 8)))
	}
	for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
		if c.a.can(windowCap(kind)) {
			wrs = append(wrs, bindWR(c.a.window(kind), c.a.mail, 0, 8, hca.RemoteRead))
		}
	}
	for range wrs {
		c.b.receive(c.b.mail.seg(8, 8))
	}
	for _, wr := range wrs {
		c.a.post(with(wr, hca.Suppress))
	}
	c.settle(c.a)
	c.a.sq.empty("suppressed")
	c.a.idle("suppressed")
}
