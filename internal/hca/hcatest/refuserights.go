package hcatest

import "github.com/godapl/godapl/internal/hca"

// refusing is a fixture whose adapters can refuse rights; nil if they cannot, and then it
// checks that they say so.
func (t *env) refusing() *fixture {
	t.Helper()
	f := t.fixture(hca.Options{})
	if f.b.can(hca.CapRefuse) {
		return f
	}
	e := f.b.end(setup{})
	qc := e.config(setup{refuse: hca.RemoteWrite})
	_, err := f.b.ad.NewQP(qc)
	t.code("NewQP with Refuse", err, hca.Unsupported)
	return nil
}

func refusedByQueuePair(t *env) {
	f := t.refusing()
	if f == nil {
		return
	}
	for i, a := range accesses {
		c, far, local := f.attempt(i, f.b.all(), setup{}, setup{refuse: a.right})
		if far == nil {
			continue
		}
		c.refused(a.name+", which is refused", c.a, a.wr(far, 64, local))
		untouched(a.name, far, local)

		// What is not refused is as before, and the other side refuses nothing.
		c, far, local = f.attempt(i, f.b.all(), setup{}, setup{refuse: hca.RemoteAll &^ a.right})
		if a.caps == hca.CapWriteImm {
			c.b.receive()
		}
		c.a.do(a.wr(far, 64, local))
		back := c.a.region(64, c.a.all())
		c.b.do(write(back, 0, c.b.region(8, hca.LocalRead).seg(0, 8)))
		far.guards(a.name)
		c.close()
	}
}

// refusedNothing: a read of no bytes proves that the peer has what came before it, on a
// connection whose peer refuses everything.
func refusedNothing(t *env) {
	f := t.refusing()
	if f == nil {
		return
	}
	c := f.pair(setup{refuse: hca.RemoteAll})
	for _, op := range []hca.Op{hca.OpRead, hca.OpWrite} {
		c.a.do(hca.SendWR{Op: op})
		c.b.do(hca.SendWR{Op: op})
	}
	c.close()
}
