package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var gracefulCases = []Case{
	{"graceful disconnect", "drives what was posted to completion", gracefulDrains},
	{"graceful disconnect", "by the receiver of a stream loses no entry", gracefulReceiver},
	{"graceful disconnect", "refuses new requests while it drains", gracefulRefuses},
	{"graceful disconnect", "is cut short by an abrupt one", gracefulThenAbrupt},
	{"graceful disconnect", "takes messages of the peer while it drains", gracefulReceives},
}

const gracefulLen = 64 << 10

func gracefulDrains(t *env) {
	f := t.fixture(hca.Options{})
	for round := range 5 {
		c := f.pair()
		src := c.a.region(gracefulLen, hca.LocalRead|c.a.sink())
		dst := c.b.region(16*gracefulLen, c.b.all())
		back := c.a.region(gracefulLen, c.a.sink())
		fill(src.b, round)
		var recvs []uint64
		receive := func(n int) {
			for range n {
				recvs = append(recvs, c.b.receive(dst.seg(len(recvs)*gracefulLen, gracefulLen)))
			}
		}
		late := round % 2 * 4 // some of the messages still wait for their receives
		if t.h.NoReceiveWait {
			late = 0
		}
		receive(8 - late)
		var ids []uint64
		for i := range 8 {
			ids = append(ids, c.a.post(write(dst, (8+i)*gracefulLen, src.seg(0, gracefulLen))))
			ids = append(ids, c.a.post(send(src.seg(0, gracefulLen))))
		}
		ids = append(ids, c.a.post(read(dst, 8*gracefulLen, back.seg(0, gracefulLen))))
		t.must("Disconnect", c.a.qp.Disconnect(true))
		receive(late)
		for i, id := range ids {
			op := hca.OpWrite
			if i%2 == 1 {
				op = hca.OpSend
			}
			if i == 16 {
				op = hca.OpRead
			}
			c.a.sent(want{id: id, op: op, len: gracefulLen})
		}
		for _, id := range recvs {
			c.b.got(want{id: id, op: hca.OpRecv, len: gracefulLen})
		}
		c.a.ev.disconnected("graceful")
		c.b.ev.disconnected("graceful by the peer")
		for i := range 16 {
			dst.holds("arrived", i*gracefulLen, gracefulLen, round)
		}
		back.holds("read", 0, gracefulLen, round)
		c.close()
	}
}

func gracefulReceiver(t *env) {
	f := t.fixture(hca.Options{})
	for range 5 {
		c := f.pair()
		src := c.a.region(gracefulLen, hca.LocalRead)
		dst := c.b.region(gracefulLen, c.b.all())
		var ids []uint64
		for i := range 32 {
			ids = append(ids, c.a.post(write(dst, 0, src.seg(0, gracefulLen))))
			if i == 16 {
				t.must("Disconnect", c.b.qp.Disconnect(true))
			}
		}
		over := false
		for _, id := range ids {
			wc := c.a.sq.next("write")
			if wc.ID != id || over && wc.Status == hca.StatusOK {
				t.Errorf("number %d, %v, after an end: %v; want number %d", wc.ID, wc.Status, over, id)
			}
			over = over || wc.Status != hca.StatusOK
		}
		c.a.ev.end("the peer left")
		c.b.ev.end("graceful")
		c.close()
		dst.guards("the peer left")
	}
}
