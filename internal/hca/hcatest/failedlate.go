package hcatest

import (
	"runtime"
	"slices"

	"github.com/godapl/godapl/internal/hca"
)

// behindFreed lets a message wait for a receive, and meanwhile frees the memory of a
// later request. When the peer executes that request, the memory for its answer is gone.
func behindFreed(t *env) {
	if t.h.NoReceiveWait || t.h.LooseStatus {
		t.Logf("not checked: this device flushes requests that wait, and does not mark the request that fails")
		return
	}
	f := t.fixture(hca.Options{})
	probe := f.pair()
	for op := range probe.a.requestKinds() {
		for _, flags := range []hca.Flags{0, hca.Suppress} {
			for _, n := range []int{8, 100, 40 << 10} {
				if n == 8 || op != hca.OpFetchAdd && op != hca.OpCompareSwap {
					freedMeanwhile(f, op, flags, n)
				}
			}
		}
	}
	probe.expectAlive("beside local errors")
}

func freedMeanwhile(f *fixture, op hca.Op, flags hca.Flags, n int) {
	c := f.pair()
	mem, far := c.a.region(n, hca.LocalRead|c.a.sink()), c.b.region(n, c.b.all())
	into := c.b.region(n, hca.LocalWrite) // another region than far: the answer of a read may still be on its way
	before := c.a.number(send(c.a.mail.seg(0, 8)), with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), flags))
	bad := c.a.number(with(remote(op, far, 0, mem.seg(0, n)), flags))[0]
	behind := c.a.number(c.followers()...)
	for _, wr := range slices.Concat(before, []hca.SendWR{bad}, behind) {
		c.a.post(wr)
	}
	c.must("MR.Close with work posted", c.within("MR.Close", mem.mr.Close))
	for range 20 {
		c.b.receive(into.seg(0, n))
	}
	what := op.String() + " of memory that is freed meanwhile"
	switch op {
	case hca.OpRead, hca.OpFetchAdd, hca.OpCompareSwap:
		c.failed(what, before, bad, behind, hca.StatusLocalProtection)
	default: // its bytes may have been read before
		c.mayFail(what, slices.Concat(before, []hca.SendWR{bad}, behind), bad.ID)
	}
}

// mayFail posts one more request, whose entry is not suppressed, and checks the entries of all
// requests. The request with the ID may is allowed to fail. If it fails, all later requests are
// flushed. All earlier requests succeed.
func (c *conn) mayFail(what string, wrs []hca.SendWR, may uint64) {
	c.Helper()
	last := c.a.number(write(c.b.mail, 0, c.a.mail.seg(0, 8)))[0]
	c.a.post(last)
	wrs = append(wrs, last)
	failed := false
	for i := 0; i < len(wrs); i++ {
		wc := c.a.sq.next(what)
		for !failed && wrs[i].ID != wc.ID && wrs[i].Flags&hca.Suppress != 0 && i+1 < len(wrs) {
			i++ // a success, whose entry is suppressed
		}
		wr := wrs[i]
		switch {
		case failed:
			c.a.match(wc, want{id: wr.ID, op: wr.Op, flags: wr.Flags, status: hca.StatusFlushed})
		case wr.ID == may && wc.Status != hca.StatusOK:
			c.a.match(wc, want{id: wr.ID, op: wr.Op, flags: wr.Flags, status: hca.StatusLocalProtection})
			failed = true
		case wr.Op == hca.OpBind:
			c.a.match(wc, want{id: wr.ID, op: wr.Op, flags: wr.Flags, len: wr.Bind.Len})
		default:
			c.a.match(wc, want{id: wr.ID, op: wr.Op, flags: wr.Flags, len: length(wr)})
		}
		if wr.Flags&hca.Suppress != 0 && wc.Status == hca.StatusOK {
			c.Errorf("%s: an entry of number %d, whose success is suppressed", what, wr.ID)
		}
		if c.Failed() {
			break
		}
	}
	c.close()
	c.a.sq.empty(what)
}

// behindHalf frees the memory of a long transfer at a random moment.
func behindHalf(t *env) {
	if t.h.LooseStatus {
		t.Logf("not checked: this device does not mark the request that fails among those that it flushes")
		return
	}
	const n = 3 << 20
	f := t.fixture(hca.Options{})
	far := f.b.region(n, f.b.all())
	into := f.b.region(n, hca.LocalWrite) // another region than far: the answer of a read may still be on its way
	for _, op := range []hca.Op{hca.OpSend, hca.OpWrite, hca.OpRead} {
		for range 12 {
			c := f.pair()
			mem := f.a.region(n, hca.LocalRead|f.a.sink())
			for range 20 {
				c.b.receive(into.seg(0, n))
			}
			before := c.leaders()
			wrs := c.a.number(slices.Concat(before, []hca.SendWR{remote(op, far, 0, mem.seg(0, n))}, c.followers())...)
			posted := start(func() error {
				for i := range wrs {
					if err := c.a.qp.PostSend(wrs[i]); err != nil {
						return err
					}
				}
				return nil
			})
			for range t.rng.IntN(400) {
				runtime.Gosched()
			}
			t.must("MR.Close with work posted", t.within("MR.Close", mem.mr.Close))
			t.must("PostSend", t.result("PostSend", posted))
			c.mayFail(op.String()+" half-way", wrs, wrs[len(before)].ID)
		}
	}
}
