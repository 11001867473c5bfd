package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// request is a request of the kind over local segments.
func request(op hca.Op, segs ...hca.Segment) hca.SendWR {
	wr := hca.SendWR{Op: op}
	if len(segs) > 0 {
		wr.Local, wr.More = segs[0], segs[1:]
	}
	return wr
}

func send(segs ...hca.Segment) hca.SendWR { return request(hca.OpSend, segs...) }

// remote is a request of the kind on dst from offset off.
func remote(op hca.Op, dst *region, off int, segs ...hca.Segment) hca.SendWR {
	wr := request(op, segs...)
	wr.Remote, wr.RKey = dst.at(off), dst.mr.RKey()
	return wr
}

func write(dst *region, off int, segs ...hca.Segment) hca.SendWR {
	return remote(hca.OpWrite, dst, off, segs...)
}

func read(src *region, off int, segs ...hca.Segment) hca.SendWR {
	return remote(hca.OpRead, src, off, segs...)
}

// with adds flags.
func with(wr hca.SendWR, f hca.Flags) hca.SendWR {
	wr.Flags |= f
	return wr
}

// length is the sum of a request's segments.
func length(wr hca.SendWR) uint64 {
	n := uint64(wr.Local.Len)
	for _, s := range wr.More {
		n += uint64(s.Len)
	}
	return n
}

// id makes a number that no other request of the end has.
func (e *end) id() uint64 {
	e.ids++
	return e.ids
}

// post posts a request, numbered unless it has a number.
func (e *end) post(wr hca.SendWR) uint64 {
	e.Helper()
	if wr.ID == 0 {
		wr.ID = e.id()
	}
	if err := e.qp.PostSend(wr); err != nil {
		e.Fatalf("%s: PostSend of %v: %v", e.name, wr.Op, err)
	}
	return wr.ID
}

// receive posts a receive.
func (e *end) receive(segs ...hca.Segment) uint64 {
	e.Helper()
	wr := hca.RecvWR{ID: e.id()}
	if len(segs) > 0 {
		wr.Local, wr.More = segs[0], segs[1:]
	}
	if err := e.qp.PostRecv(wr); err != nil {
		e.Fatalf("%s: PostRecv: %v", e.name, err)
	}
	return wr.ID
}

// do posts a request and expects its success to be the next entry.
func (e *end) do(wr hca.SendWR) hca.WC {
	e.Helper()
	id := e.post(wr)
	return e.sent(want{id: id, op: wr.Op, len: length(wr), flags: wr.Flags})
}

// settle waits until the peer has executed the requests that e posted before: a read
// sees earlier writes and completes after them.
func (c *conn) settle(e *end) {
	c.Helper()
	e.do(read(c.peer(e).mail, mailLen-8, e.mail.seg(mailLen-8, 8)))
}

// expectAlive checks that messages still pass in both directions.
func (c *conn) expectAlive(what string) {
	c.Helper()
	for _, e := range c.ends() {
		p := c.peer(e)
		id := p.receive(p.mail.seg(8, 8))
		fill(e.mail.b[:8], int(id))
		e.do(send(e.mail.seg(0, 8)))
		p.got(want{id: id, op: hca.OpRecv, len: 8})
		p.mail.holds(what, 8, 8, int(id))
	}
}
