package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var boundCases = []Case{
	{"bounds", "one byte outside on either side is refused", outOfBounds},
	{"bounds", "the first and the last byte are inside", justInside},
	{"bounds", "a range that wraps around 64 bits is refused", wrapAround},
	{"bounds", "a long transfer over the end places nothing behind it", overTheEnd},
}

func outOfBounds(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		for what, off := range map[string]int{
			"a step before":        -8, // atomics need aligned addresses
			"a byte before":        -1,
			"a byte over the end":  8192 - a.n + 1,
			"a step over the end":  8192 - a.n + 8,
			"behind the end":       8192,
			"far behind the end":   8192 + 1<<20,
			"far before the start": -1 << 30,
		} {
			if a.right == hca.RemoteAtomic && off%8 != 0 {
				continue
			}
			c, far, local := f.attempt(i, f.b.all())
			if far == nil {
				break
			}
			c.refused(a.name+" "+what, c.a, a.wr(far, off, local))
			// Inside the grant, bytes may have been written.
			far.guards(a.name + " " + what)
			local.still(a.name+" "+what, 0, len(local.b), 0x55)
			if off < 0 || off >= 8192 {
				untouched(a.name+" "+what, far, local)
			}
			t.must("MR.Close", far.mr.Close())
			t.must("MR.Close", local.mr.Close())
		}
	}
}

func justInside(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		for _, off := range []int{0, 8192 - a.n} {
			c, far, local := f.attempt(i, f.b.all())
			if far == nil {
				break
			}
			if a.caps == hca.CapWriteImm {
				c.b.receive()
			}
			c.a.do(a.wr(far, off, local))
			c.settle(c.a)
			far.guards(a.name)
			c.close()
		}
	}
	c := f.pair()
	far := c.b.region(3, c.b.all())
	for off := range 3 {
		c.a.do(write(far, off, c.a.mail.seg(0, 1)))
		c.a.do(read(far, off, c.a.mail.seg(1, 1)))
	}
	far.guards("single bytes")
}

func wrapAround(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		for _, back := range []uint64{8, 4, 1} { // bytes before 2^64
			if a.right == hca.RemoteAtomic && back != 8 {
				continue
			}
			c, far, local := f.attempt(i, f.b.all())
			if far == nil {
				break
			}
			wr := a.wr(far, 64, local)
			wr.Remote = -back
			c.refused(a.name+" at the end of the address space", c.a, wr)
			untouched(a.name+" at the end of the address space", far, local)
		}
	}
	// The same on this side.
	c := f.pair()
	wr := write(c.b.mail, 0, hca.Segment{Addr: ^uint64(15), Len: 64, Key: c.a.mail.mr.LKey()})
	id := c.a.post(wr)
	c.a.sent(want{id: id, op: hca.OpWrite, status: hca.StatusLocalProtection})
	c.a.ev.broken("a local segment that wraps")
}

func overTheEnd(t *env) {
	const n = 512 << 10
	f := t.fixture(hca.Options{})
	for _, over := range []int{1, 4096, n / 2} {
		c := f.pair()
		far := c.b.region(n, c.b.all())
		local := c.a.region(n, hca.LocalRead|c.a.sink())
		paint(local.b, 0x55)
		c.refused("a long write over the end", c.a, write(far, over, local.seg(0, n)))
		far.guards("a long write over the end")
		far.still("before the write", 0, over, 0)

		c = f.pair()
		c.refused("a long read over the end", c.a, read(far, over, local.seg(0, n)))
		local.still("a refused read", 0, n, 0x55)
		local.guards("a refused read")
	}
}
