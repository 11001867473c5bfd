package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var solicitedCases = []Case{
	{"solicited", "only solicited receives wake where the queue pair asks for it", solicited},
	{"solicited", "the flag changes nothing where every receive wakes", solicitedPlain},
	{"solicited", "a failed receive wakes", solicitedError},
}

func solicited(t *env) {
	c := t.pair(setup{}, setup{solicit: true})
	told := func(echo hca.Flags) hca.Flags {
		if !c.b.can(hca.CapSolicitedTold) {
			return echo &^ hca.Quiet
		}
		return echo
	}
	if !c.b.can(hca.CapSolicited) {
		t.Logf("not checked: every receive wakes on this device")
		return
	}
	message := func(f, echo hca.Flags) func() want {
		return func() want {
			id := c.b.receive(c.b.mail.seg(0, 8))
			c.a.do(with(send(c.a.mail.seg(0, 8)), f))
			return want{id: id, op: hca.OpRecv, len: 8, flags: told(echo)}
		}
	}
	for range 100 {
		c.b.rq.quietly(message(0, hca.Quiet), message(hca.Solicited, 0), c.b)
	}
	if !c.a.has(hca.CapWriteImm) {
		return // its refusal is checked under attributes
	}
	imm := func(f, echo hca.Flags) func() want {
		return func() want {
			id := c.b.receive()
			c.a.do(with(remote(hca.OpWriteImm, c.b.mail, 0), f))
			return want{id: id, op: hca.OpRecvWriteImm, flags: told(echo)}
		}
	}
	for range 20 {
		c.b.rq.quietly(imm(0, hca.Quiet), imm(hca.Solicited, 0), c.b)
	}
}

func solicitedPlain(t *env) {
	c := t.pair()
	for i := range 100 {
		id := c.b.receive(c.b.mail.seg(0, 8))
		t.must("Arm", c.b.rq.cq.Arm())
		wr := send(c.a.mail.seg(0, 8))
		if i%2 == 0 {
			wr.Flags |= hca.Solicited
		}
		c.a.do(wr)
		await(t, "Notify", c.b.rq.bell)
		c.b.match(c.b.rq.spin("message"), want{id: id, op: hca.OpRecv, len: 8})
	}
}

func solicitedError(t *env) {
	c := t.pair(setup{}, setup{solicit: true})
	id := c.b.receive(c.b.mail.seg(0, 8))
	t.must("Arm", c.b.rq.cq.Arm())
	t.must("Disconnect", c.a.qp.Disconnect(false))
	await(t, "Notify of a flushed receive", c.b.rq.bell)
	c.b.match(c.b.rq.spin("flushed"), want{id: id, op: hca.OpRecv, status: hca.StatusFlushed})
}
