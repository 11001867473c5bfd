package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var shortCases = []Case{
	{"message too long", "fails its receive, breaks both sides and writes nothing behind it", tooLongMessage},
	{"message too long", "a receive without memory takes empty messages only", tooLongForNothing},
}

func tooLongMessage(t *env) {
	f := t.fixture(hca.Options{})
	for _, try := range [][2]int{{8, 9}, {1, 2}, {4096, 4097}, {100, 70000}, {65536, 65537}} {
		room, n := try[0], try[1]
		for k := 1; k <= 3; k++ {
			c := f.pair()
			if k > c.b.sge {
				break
			}
			src, dst := c.a.region(n, hca.LocalRead), c.b.region(room+64, hca.LocalWrite)
			fill(src.b, 1)
			paint(dst.b, 0x33)
			first := c.b.receive(dst.cut(0, room, k)...)
			second := c.b.receive(c.b.mail.seg(0, 8))
			sent := c.a.post(send(src.seg(0, n)))
			behind := c.a.post(send(c.a.mail.seg(0, 8)))

			c.b.got(want{id: first, op: hca.OpRecv, status: hca.StatusLocalLength})
			c.b.flushed(second)
			c.cause("message too long", c.b.ev.broken("message too long"))
			c.cause("message too long", c.a.ev.broken("message too long"))
			statuses, late := []hca.Status{hca.StatusRemoteInvalid}, []hca.Status{hca.StatusFlushed}
			if !c.a.info.Acked {
				statuses = []hca.Status{hca.StatusOK, hca.StatusFlushed}
				late = statuses
			}
			c.a.one("message too long", c.a.sq.next("send"), sent, hca.OpSend, statuses)
			c.a.one("behind", c.a.sq.next("send"), behind, hca.OpSend, late)
			c.close()
			dst.still("behind the receive", room, 64, 0x33)
			dst.guards("message too long")
			c.b.mail.still("the next receive", 0, mailLen, 0)
		}
	}
}

func tooLongForNothing(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	id := c.b.receive()
	c.a.do(send())
	c.b.got(want{id: id, op: hca.OpRecv})
	id = c.b.receive()
	c.a.post(send(c.a.mail.seg(0, 1)))
	c.b.got(want{id: id, op: hca.OpRecv, status: hca.StatusLocalLength})
	c.b.ev.broken("no memory")
	c.a.ev.broken("no memory")
}
