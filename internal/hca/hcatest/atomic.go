package hcatest

import (
	"encoding/binary"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

var atomicCases = []Case{
	{"atomics", "fetch-add gives the former value and adds, with wrap", fetchAdd},
	{"atomics", "compare-swap swaps only what is equal", compareSwap},
	{"atomics", "are atomic between connections", atomicsRace},
	{"atomics", "a misaligned address is refused", atomicsAlign},
	{"atomics", "return into eight bytes", atomicsLength},
}

// word is the value at offset off, in the machine's byte order.
func (r *region) word(off int) uint64       { return binary.NativeEndian.Uint64(r.b[off:]) }
func (r *region) setWord(off int, v uint64) { binary.NativeEndian.PutUint64(r.b[off:], v) }
func noAtomics(c *conn) bool {
	return c.lacks(hca.CapAtomics, addWord(c.b.mail, 0, c.a.mail.seg(0, 8), 1))
}
func addWord(dst *region, off int, seg hca.Segment, v uint64) hca.SendWR {
	wr := remote(hca.OpFetchAdd, dst, off, seg)
	wr.Operand = v
	return wr
}

func swapWord(dst *region, off int, seg hca.Segment, old, v uint64) hca.SendWR {
	wr := remote(hca.OpCompareSwap, dst, off, seg)
	wr.Compare, wr.Operand = old, v
	return wr
}

func fetchAdd(t *env) {
	c := t.pair()
	if noAtomics(c) {
		return
	}
	dst := c.b.region(64, c.b.all())
	local := c.a.region(64, c.a.sink())
	value := uint64(0)
	for _, add := range []uint64{0, 1, 41, 1 << 32, ^uint64(0), 1 << 63, 1 << 63, 0x0102030405060708} {
		c.a.do(addWord(dst, 8, local.seg(16, 8), add))
		if got := local.word(16); got != value {
			t.Errorf("adding %#x: former value %#x, want %#x", add, got, value)
		}
		value += add
		if got := dst.word(8); got != value {
			t.Errorf("adding %#x: value %#x, want %#x", add, got, value)
		}
	}
	for _, r := range []*region{dst, local} {
		r.guards("fetch-add")
		r.still("around", 32, 32, 0)
	}
	dst.still("before", 0, 8, 0)
	dst.still("behind", 16, 8, 0)
	c.b.rq.empty("a passive target")
}

func compareSwap(t *env) {
	c := t.pair()
	if noAtomics(c) {
		return
	}
	dst := c.b.region(24, c.b.all())
	local := c.a.region(8, c.a.sink())
	dst.setWord(8, 5)
	for _, step := range []struct{ old, v, after uint64 }{
		{4, 9, 5}, {5, 9, 9}, {5, 1, 9}, {9, ^uint64(0), ^uint64(0)}, {^uint64(0), 0, 0}, {0, 0, 0},
	} {
		before := dst.word(8)
		c.a.do(swapWord(dst, 8, local.seg(0, 8), step.old, step.v))
		if local.word(0) != before || dst.word(8) != step.after {
			t.Errorf("swap of %#x for %#x on %#x: returned %#x, left %#x, want %#x", step.old, step.v, before,
				local.word(0), dst.word(8), step.after)
		}
	}
	dst.still("before", 0, 8, 0)
	dst.still("behind", 16, 8, 0)
	dst.guards("compare-swap")
}

func atomicsRace(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	if noAtomics(c) {
		return
	}
	const each, peers = 500, 3
	dst := c.b.region(16, c.b.all())
	var wg sync.WaitGroup
	for i := range peers {
		c := c
		if i > 0 {
			c = f.pair()
		}
		local := c.a.region(8, c.a.sink())
		wg.Go(func() {
			for range each {
				if err := c.a.qp.PostSend(addWord(dst, 0, local.seg(0, 8), 1)); err != nil {
					t.Errorf("PostSend: %v", err)
					return
				}
				if wc, err := c.a.sq.wait(); err != nil || wc.Status != hca.StatusOK {
					t.Errorf("fetch-add: %v, %v", wc.Status, err)
					return
				}
				// Increment the second word by compare-swap until it succeeds.
				for old, done := uint64(0), false; !done; {
					if err := c.a.qp.PostSend(swapWord(dst, 8, local.seg(0, 8), old, old+1)); err != nil {
						t.Errorf("PostSend: %v", err)
						return
					}
					if wc, err := c.a.sq.wait(); err != nil || wc.Status != hca.StatusOK {
						t.Errorf("compare-swap: %v, %v", wc.Status, err)
						return
					}
					now := local.word(0)
					done, old = now == old, now
				}
			}
		})
	}
	wg.Wait()
	c.settle(c.a)
	if a, b := dst.word(0), dst.word(8); a != peers*each || b != peers*each {
		t.Errorf("counted %d and %d, want %d", a, b, peers*each)
	}
}

func atomicsAlign(t *env) {
	f := t.fixture(hca.Options{})
	for _, off := range []int{1, 4, 7} {
		c := f.pair()
		if noAtomics(c) {
			return
		}
		dst := c.b.region(24, c.b.all())
		wr := addWord(dst, off, c.a.mail.seg(0, 8), 1)
		if err := c.a.qp.PostSend(wr); err != nil {
			t.code("PostSend", err, hca.Invalid)
			c.expectAlive("after a refused post")
		} else {
			wc := c.a.sq.next("fetch-add")
			c.a.one("fetch-add", wc, 0, wr.Op, []hca.Status{hca.StatusRemoteInvalid, hca.StatusRemoteAccess,
				hca.StatusRemoteOp, hca.StatusLocalQP, hca.StatusFlushed})
			c.a.ev.broken("misaligned")
			c.b.ev.broken("misaligned")
		}
		c.close()
		dst.still("misaligned", 0, 24, 0)
	}
}

func atomicsLength(t *env) {
	c := t.pair()
	if noAtomics(c) {
		return
	}
	for _, n := range []int{0, 7, 9, 16} {
		t.code("fetch-add", c.a.qp.PostSend(addWord(c.b.mail, 0, c.a.mail.seg(0, n), 1)), hca.Invalid, hca.Length)
	}
	wr := addWord(c.b.mail, 0, c.a.mail.seg(0, 8), 1)
	wr.More = []hca.Segment{c.a.mail.seg(8, 8)}
	t.code("fetch-add with two segments", c.a.qp.PostSend(wr), hca.Invalid, hca.Length)
	c.a.idle("after refusals")
	c.expectAlive("after refusals")
}
