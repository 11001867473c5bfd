package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var orderCases = []Case{
	{"order", "what was written before a send is there with it", writeThenSend},
	{"order", "messages arrive in the order of their sends", sendThenSend},
	{"order", "the last byte of a write is seen after all others", lastByteLast},
	{"order", "a read sees the writes before it", writeThenRead},
	{"order", "reads complete in order, more than may be under way", readThenRead},
	{"order", "entries of mixed operations come in posting order", mixedOrder},
	{"order", "what was asked before a refused request is answered", answerThenRefuse},
}

func writeThenSend(t *env) {
	c := t.pair()
	local := c.a.region(1<<16, hca.LocalRead)
	far := c.b.region(1<<16, c.b.all())
	lens := []int{1, 8, 100, 4096, 1 << 16}
	for round := range 300 {
		n := lens[round%len(lens)]
		fill(local.b[:n], round)
		id := c.b.receive()
		for off := 0; off < n; { // in several writes
			part := 1 + t.rng.IntN(n)
			part = min(part, n-off)
			c.a.post(with(write(far, off, local.seg(off, part)), hca.Suppress))
			off += part
			if n-off < 16 && off < n {
				c.a.post(with(write(far, off, local.seg(off, n-off)), hca.Suppress))
				off = n
			}
		}
		sent := c.a.post(send())
		c.b.got(want{id: id, op: hca.OpRecv})
		far.holds("written before the message", 0, n, round)
		c.a.sent(want{id: sent, op: hca.OpSend})
	}
}

func sendThenSend(t *env) {
	const n = 60
	c := t.pair()
	local, far := c.a.region(n*8, hca.LocalRead), c.b.region(n*8, hca.LocalWrite)
	for round := range 10 {
		fill(local.b, round)
		paint(far.b, 0)
		var recvs []uint64
		for i := range n {
			recvs = append(recvs, c.b.receive(far.seg(8*i, 8)))
		}
		var sends []uint64
		for i := range n {
			sends = append(sends, c.a.post(send(local.seg(8*i, 8))))
		}
		for i := range n {
			c.a.sent(want{id: sends[i], op: hca.OpSend, len: 8})
			c.b.got(want{id: recvs[i], op: hca.OpRecv, len: 8})
		}
		far.holds("messages", 0, n*8, round)
	}
}

func writeThenRead(t *env) {
	c := t.pair()
	local, in := c.a.region(1<<16, hca.LocalRead), c.a.region(1<<16, c.a.sink())
	far := c.b.region(1<<16, c.b.all())
	for round, n := range []int{1, 8, 100, 4096, 1 << 16, 1, 8, 100, 4096, 1 << 16} {
		fill(local.b[:n], round)
		c.a.post(with(write(far, 0, local.seg(0, n)), hca.Suppress))
		c.a.do(read(far, 0, in.seg(0, n)))
		in.holds("read behind the write", 0, n, round)
	}
}

func readThenRead(t *env) {
	c := t.pair(setup{reads: 2})
	const n = 4096
	far, in := c.b.region(16*n, c.b.all()), c.a.region(16*n, c.a.sink())
	for round := range 10 {
		fill(far.b, round)
		paint(in.b, 0)
		var ids []uint64
		var lens []int
		for i := range 16 {
			l := 1 + t.rng.IntN(n)
			lens = append(lens, l)
			ids = append(ids, c.a.post(read(far, i*n, in.seg(i*n, l))))
		}
		for i, id := range ids {
			c.a.sent(want{id: id, op: hca.OpRead, len: uint64(lens[i])})
			if string(in.b[i*n:i*n+lens[i]]) != string(far.b[i*n:i*n+lens[i]]) {
				t.Errorf("read %d of %d bytes brought something else", i, lens[i])
			}
		}
	}
	in.guards("reads")
}

func mixedOrder(t *env) {
	c := t.pair()
	local, in := c.a.region(1<<16, hca.LocalRead), c.a.region(1<<16, c.a.sink())
	// No request writes the memory that another one reads: reads are not ordered before
	// later requests.
	far, inbox, source := c.b.region(1<<16, c.b.all()), c.b.region(1<<16, hca.LocalWrite), c.b.region(1<<16, c.b.all())
	for range 40 {
		var wrs []hca.SendWR
		var ids, recvs []uint64
		for range 40 {
			n := t.rng.IntN(3000)
			if t.rng.IntN(5) == 0 {
				n = t.rng.IntN(1 << 16)
			}
			wr := write(far, 0, local.seg(0, n))
			switch t.rng.IntN(4) {
			case 0:
				wr = send(local.seg(0, n))
				recvs = append(recvs, c.b.receive(inbox.seg(0, n)))
			case 1:
				wr = read(source, 0, in.seg(0, n))
			case 2:
				if c.a.has(hca.CapAtomics) {
					wr = addWord(c.b.mail, 0, in.seg(0, 8), 1)
				}
			}
			if t.rng.IntN(6) == 0 {
				wr.Flags |= hca.Fence
			}
			wrs, ids = append(wrs, wr), append(ids, c.a.post(wr))
		}
		for i, id := range ids {
			c.a.sent(want{id: id, op: wrs[i].Op, len: length(wrs[i]), flags: wrs[i].Flags})
		}
		for _, id := range recvs {
			wc := c.b.rq.next("message")
			c.b.match(wc, want{id: id, op: hca.OpRecv, len: wc.Len})
		}
	}
}

// A refusal is the peer's answer to one request. It comes after the answers to earlier
// requests, however long they take.
func answerThenRefuse(t *env) {
	f := t.fixture(hca.Options{})
	for round, n := range []int{8, 5000, 300_000, 1 << 20} {
		c := f.pair(setup{reads: 8})
		far, in := c.b.region(4*n, c.b.all()), c.a.region(3*n, c.a.sink())
		word := c.b.region(8, c.b.all())
		fill(far.b, round)
		var wrs []hca.SendWR
		for i := range 3 {
			wrs = append(wrs, read(far, i*n, in.seg(i*n, n)))
		}
		if c.a.has(hca.CapAtomics) {
			wrs = append(wrs, addWord(word, 0, c.a.mail.seg(0, 8), 1))
		}
		bad := read(far, 3*n, c.a.mail.seg(0, 8))
		bad.RKey ^= 1 << 9
		var ids []uint64
		for _, wr := range wrs {
			ids = append(ids, c.a.post(wr))
		}
		last := c.a.post(bad)
		for i, id := range ids {
			c.a.sent(want{id: id, op: wrs[i].Op, len: length(wrs[i])})
		}
		wc := c.a.sq.next("the refused read")
		statuses := []hca.Status{hca.StatusRemoteAccess}
		if !c.a.info.Acked {
			statuses = append(statuses, hca.StatusFlushed)
		}
		c.a.one("the refused read", wc, last, hca.OpRead, statuses)
		for i := range 3 {
			if string(in.b[i*n:(i+1)*n]) != string(far.b[i*n:(i+1)*n]) {
				t.Errorf("read %d of %d bytes brought something else", i, n)
			}
		}
		for _, e := range c.ends() {
			e.ev.broken("the refused read")
		}
		c.close()
	}
}
