package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var immediateCases = []Case{
	{"immediate", "a write with immediate data lands and consumes a receive untouched", writeImm},
	{"immediate", "a send with immediate data brings both", sendImm},
	{"immediate", "orders with plain sends and writes", immOrder},
}

func writeImm(t *env) {
	c := t.pair()
	src := c.a.region(70000, hca.LocalRead)
	dst := c.b.region(70000, c.b.all())
	box := c.b.region(64, hca.LocalWrite)
	paint(box.b, 0x44)
	if c.lacks(hca.CapWriteImm, remote(hca.OpWriteImm, dst, 0, src.seg(0, 8))) {
		return
	}
	for i, n := range sizes(70000) {
		fill(src.b[:n], i)
		paint(dst.b, 0)
		id := c.b.receive(box.seg(0, 64))
		wr := remote(hca.OpWriteImm, dst, 3, src.seg(0, n))
		wr.Imm = 0xDEADBE00 + uint32(i)
		c.a.do(wr)
		wc := c.b.rq.next("immediate data")
		// How long the write was, not every transport tells the receiver.
		c.b.match(wc, want{id: id, op: hca.OpRecvWriteImm, len: wc.Len})
		if wc.Imm != wr.Imm {
			t.Errorf("immediate data %#x, want %#x", wc.Imm, wr.Imm)
		}
		dst.holds("written", 3, n, i)
		dst.still("behind", 3+n, len(dst.b)-3-n, 0)
	}
	id := c.b.receive() // a receive without memory will do as well
	wr := remote(hca.OpWriteImm, dst, 0, src.seg(0, 9))
	wr.Imm = 7
	c.a.do(wr)
	wc := c.b.rq.next("immediate data")
	c.b.match(wc, want{id: id, op: hca.OpRecvWriteImm, len: wc.Len})
	box.still("the receive's memory", 0, 64, 0x44)
	dst.guards("write with immediate")
}

func sendImm(t *env) {
	c := t.pair()
	src := c.a.region(70000, hca.LocalRead)
	dst := c.b.region(70000, hca.LocalWrite)
	if c.lacks(hca.CapSendImm, request(hca.OpSendImm, src.seg(0, 8))) {
		return
	}
	for i, n := range sizes(70000) {
		fill(src.b[:n], i)
		paint(dst.b, 0)
		id := c.b.receive(dst.seg(0, n))
		wr := request(hca.OpSendImm, src.seg(0, n))
		wr.Imm = 0xCAFE0000 + uint32(i)
		c.a.do(wr)
		wc := c.b.got(want{id: id, op: hca.OpRecvImm, len: uint64(n)})
		if wc.Imm != wr.Imm {
			t.Errorf("immediate data %#x, want %#x", wc.Imm, wr.Imm)
		}
		dst.holds("message", 0, n, i)
	}
	dst.guards("send with immediate")
}

func immOrder(t *env) {
	c := t.pair()
	src := c.a.region(64, hca.LocalRead)
	dst := c.b.region(64, c.b.all())
	if c.lacks(hca.CapWriteImm, remote(hca.OpWriteImm, dst, 0, src.seg(0, 8))) {
		return
	}
	for round := range 200 {
		fill(src.b, round)
		first, second, third := c.b.receive(), c.b.receive(c.b.mail.seg(0, 8)), c.b.receive()
		var ids []uint64
		for i, op := range []hca.Op{hca.OpWriteImm, hca.OpSend, hca.OpWriteImm} {
			wr := request(op, src.seg(8*i, 8))
			if op == hca.OpWriteImm {
				wr = remote(op, dst, 8*i, src.seg(8*i, 8))
				wr.Imm = uint32(round)
			}
			ids = append(ids, c.a.post(wr))
		}
		wc := c.b.rq.next("first")
		c.b.match(wc, want{id: first, op: hca.OpRecvWriteImm, len: wc.Len})
		if string(dst.b[:8]) != string(src.b[:8]) {
			t.Errorf("round %d: the write was not there with its immediate data", round)
		}
		c.b.got(want{id: second, op: hca.OpRecv, len: 8})
		wc = c.b.rq.next("third")
		c.b.match(wc, want{id: third, op: hca.OpRecvWriteImm, len: wc.Len})
		if string(dst.b[16:24]) != string(src.b[16:24]) {
			t.Errorf("round %d: the second write was not there with its immediate data", round)
		}
		for i, id := range ids {
			op := hca.OpWriteImm
			if i == 1 {
				op = hca.OpSend
			}
			c.a.sent(want{id: id, op: op, len: 8})
		}
	}
}
