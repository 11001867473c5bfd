package hcatest

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

var leaveCases = []Case{
	{"requests", "a peer that gives up is told of, and cannot be answered", peerLeaves},
	{"requests", "a peer that waits is not taken for one that gives up", peerWaits},
}

// leaver is the next request, if it tells of its peer's leaving.
func (f *fixture) leaver() (hca.ConnRequest, hca.Leaver) {
	f.Helper()
	r := f.request()
	l, ok := r.(hca.Leaver)
	if !ok {
		f.Logf("not checked: this adapter does not tell")
	}
	return r, l
}

func peerLeaves(t *env) {
	f := t.fixture(hca.Options{})
	for range 3 {
		e := f.a.end(setup{})
		ctx, cancel := context.WithCancel(t.ctx())
		result := f.dial(ctx, e, []byte("hello"))
		r, l := f.leaver()
		left := make(chan struct{}, 2)
		if l == nil { // nor does it know when a peer answers
			cancel()
			f.result("Connect", result)
			r.Reject(nil)
			return
		}
		l.OnLeave(func() { left <- struct{}{} })
		cancel()
		t.code("Connect", f.result("Connect", result), hca.Canceled)
		await(t, "word that the peer has given up", left)
		l.OnLeave(func() { left <- struct{}{} })
		await(t, "word that it had", left)
		to := f.b.end(setup{})
		err := t.within("Accept", func() error { return r.Accept(t.ctx(), to.qp, hca.ConnParams{}) })
		if err == nil {
			t.Errorf("a request whose peer has given up was accepted")
		}
		to.ev.none("a peer that has given up")
	}
	f.pair().expectAlive("after peers that gave up")
}

func peerWaits(t *env) {
	f := t.fixture(hca.Options{})
	for _, accept := range []bool{true, false} {
		e := f.a.end(setup{})
		result := f.dial(t.ctx(), e, nil)
		r, l := f.leaver()
		left := make(chan struct{}, 1)
		if l != nil {
			l.OnLeave(func() { left <- struct{}{} })
		}
		if accept {
			to := f.b.end(setup{})
			t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), to.qp, hca.ConnParams{}) }))
			t.must("Connect", f.result("Connect", result))
			to.ev.info()
			e.ev.info()
			c := &conn{fixture: f, a: e, b: to}
			c.expectAlive("after an accept")
			c.close()
		} else {
			t.must("Reject", r.Reject(nil))
			t.code("Connect", f.result("Connect", result), hca.Rejected)
		}
		select {
		case <-left:
			t.Errorf("a peer that was answered (accepted: %v) is said to have given up", accept)
		default:
		}
	}
}
