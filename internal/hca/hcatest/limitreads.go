package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// noReads connects a side that was made with a read depth of 0: reads and atomics are
// refused, all other operations work.
func noReads(t *env) {
	c := t.pair(setup{noReads: true}, setup{})
	if n := c.a.info.ReadsOut; n != 0 {
		t.Errorf("%s: %d reads out, want none", c.a.name, n)
	}
	refused := []hca.SendWR{read(c.b.mail, 0, c.a.mail.seg(0, 8)), read(c.b.mail, 0, c.a.mail.seg(0, 8), c.a.mail.seg(8, 8))}
	if c.a.has(hca.CapAtomics) {
		refused = append(refused, addWord(c.b.mail, 0, c.a.mail.seg(0, 8), 1), remote(hca.OpCompareSwap, c.b.mail, 0, c.a.mail.seg(0, 8)))
	}
	for _, wr := range refused {
		t.code(wr.Op.String(), c.a.qp.PostSend(wr), hca.Unsupported)
		n, err := c.a.qp.PostSends([]hca.SendWR{write(c.b.mail, 0, c.a.mail.seg(0, 8)), wr})
		t.code(wr.Op.String()+" behind a write", err, hca.Unsupported)
		if n != 1 {
			t.Errorf("%v behind a write: %d were accepted, want 1", wr.Op, n)
			continue
		}
		if wc := c.a.sq.next("write"); wc.Op != hca.OpWrite || wc.Status != hca.StatusOK {
			t.Errorf("the write before a refused %v: %+v", wr.Op, wc)
		}
	}
	c.a.idle("after refusals")
	if wc := c.b.do(read(c.a.mail, 0, c.b.mail.seg(0, 8))); wc.Status != hca.StatusOK {
		t.Errorf("a read by the peer: %v", wc.Status)
	}
	c.a.do(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
}
