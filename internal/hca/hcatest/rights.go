package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var rightCases = []Case{
	{"rights", "an operation without the right is refused and changes nothing", missingRights},
	{"rights", "the one right that an operation needs is enough", exactRights},
	{"rights", "of several reads the refused one says so", refusedAmongOthers},
	{"rights", "what a queue pair refuses no key allows", refusedByQueuePair},
	{"rights", "an access to no bytes is never refused", refusedNothing},
	{"rights", "a refusal flushes both sides and leaves other connections alone", refusalIsLocal},
}

// accesses are the operations on a peer's memory and the right each needs.
// far is at least 64 bytes, local 64.
var accesses = []struct {
	name  string
	right hca.Access
	caps  hca.Caps
	n     int
	wr    func(far *region, off int, local *region) hca.SendWR
}{
	{"write", hca.RemoteWrite, 0, 8, func(far *region, off int, local *region) hca.SendWR {
		return write(far, off, local.seg(0, 8))
	}},
	{"read", hca.RemoteRead, 0, 8, func(far *region, off int, local *region) hca.SendWR {
		return read(far, off, local.seg(0, 8))
	}},
	{"write with immediate", hca.RemoteWrite, hca.CapWriteImm, 8, func(far *region, off int, local *region) hca.SendWR {
		return remote(hca.OpWriteImm, far, off, local.seg(0, 8))
	}},
	{"fetch-add", hca.RemoteAtomic, hca.CapAtomics, 8, func(far *region, off int, local *region) hca.SendWR {
		return addWord(far, off, local.seg(0, 8), 1)
	}},
	{"compare-swap", hca.RemoteAtomic, hca.CapAtomics, 8, func(far *region, off int, local *region) hca.SendWR {
		return swapWord(far, off, local.seg(0, 8), 0x4444444444444444, 1)
	}},
	{"long write", hca.RemoteWrite, 0, 4096, func(far *region, off int, local *region) hca.SendWR {
		return write(far, off, local.seg(0, 4096))
	}},
	{"long read", hca.RemoteRead, 0, 4096, func(far *region, off int, local *region) hca.SendWR {
		return read(far, off, local.seg(0, 4096))
	}},
}

// attempt makes a connection for one access: far is painted 0x44, local 0x55. far is
// nil if the connection does not support the operation.
func (f *fixture) attempt(i int, rights hca.Access, cfg ...setup) (c *conn, far, local *region) {
	f.Helper()
	c = f.pair(cfg...)
	if !c.a.has(accesses[i].caps) {
		c.close()
		return c, nil, nil // its refusal is checked under attributes
	}
	far = c.b.region(8192, rights)
	local = c.a.region(4096, hca.LocalRead|c.a.sink())
	paint(far.b, 0x44)
	paint(local.b, 0x55)
	return c, far, local
}

// untouched checks both regions of an attempt after a refusal.
func untouched(what string, far, local *region) {
	far.Helper()
	far.still(what, 0, len(far.b), 0x44)
	far.guards(what)
	local.still(what, 0, len(local.b), 0x55)
	local.guards(what)
}

func missingRights(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		if a.right == hca.RemoteRead && t.h.LooseReads {
			t.Logf("not checked: %s: this device does not look for the right", a.name)
			continue
		}
		for _, rights := range []hca.Access{f.b.all() &^ a.right, f.b.all() &^ hca.RemoteAll} {
			c, far, local := f.attempt(i, rights)
			if far == nil {
				continue
			}
			what := a.name + " on " + rights.String()
			c.refused(what, c.a, a.wr(far, 64, local))
			untouched(what, far, local)
		}
	}
}

func exactRights(t *env) {
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		c, far, local := f.attempt(i, hca.LocalRead|hca.LocalWrite|a.right)
		if far == nil {
			continue
		}
		if a.caps == hca.CapWriteImm {
			c.b.receive()
		}
		c.a.do(a.wr(far, 64, local))
		c.settle(c.a)
		far.guards(a.name)
		far.still(a.name, 0, 64, 0x44)
		far.still(a.name, 64+a.n, len(far.b)-64-a.n, 0x44)
		if a.right == hca.RemoteRead {
			far.still(a.name, 64, a.n, 0x44)
			local.still(a.name, 0, a.n, 0x44)
		}
		if a.right == hca.RemoteWrite {
			far.still(a.name, 64, a.n, 0x55)
		}
		c.close()
	}
}

func refusalIsLocal(t *env) {
	f := t.fixture(hca.Options{})
	other, back := f.pair(), f.pair()
	for range 5 {
		c := f.pair()
		var recvs []uint64
		for range 6 {
			recvs = append(recvs, c.a.receive(c.a.mail.seg(0, 8)))
		}
		wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
		wr.RKey ^= 0x100
		c.refused("wrong key", c.a, wr)
		c.a.flushed(recvs...)
		other.expectAlive("beside a refusal")
		back.expectAlive("beside a refusal")
	}
	// The listener's side may break the promise as well as the dialer's.
	wr := write(back.a.mail, 0, back.b.mail.seg(0, 8))
	wr.RKey ^= 0x100
	back.refused("wrong key of the dialer", back.b, wr)
	other.expectAlive("beside a refusal")
}

// refusedAmongOthers: requests before the refused one succeed, later ones are flushed
// and change nothing.
func refusedAmongOthers(t *env) {
	if t.h.FlushedRefusals {
		t.Logf("not checked: this device flushes what the peer refuses")
		return
	}
	f := t.fixture(hca.Options{})
	for i, a := range accesses {
		c, far, local := f.attempt(i, f.b.all())
		if far == nil {
			continue
		}
		wr := a.wr(far, 64, local)
		if !isAnswered(wr.Op) {
			c.close()
			continue
		}
		sinks := c.a.region(7*4096, hca.LocalRead|c.a.sink())
		paint(sinks.b, 0x55)
		var ids []uint64
		for n := range 7 {
			wr := wr
			wr.Local = sinks.seg(n*4096, a.n)
			if n == 3 {
				wr.RKey ^= 0x5A5A5A5A
			}
			ids = append(ids, c.a.post(wr))
		}
		for n, id := range ids {
			w := want{id: id, op: wr.Op, len: uint64(a.n)}
			switch {
			case n == 3:
				w.status = hca.StatusRemoteAccess
			case n > 3:
				w.status = hca.StatusFlushed
			}
			c.a.sent(w)
		}
		c.a.ev.broken(a.name)
		c.b.ev.broken(a.name)
		c.close()
		sinks.still(a.name+": the refused one and those behind it", 3*4096, 4*4096, 0x55)
		sinks.guards(a.name)
	}
}
