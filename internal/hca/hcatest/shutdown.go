package hcatest

import (
	"context"
	"errors"
	"runtime"

	"github.com/godapl/godapl/internal/hca"
)

var shutdownCases = []Case{
	{"adapter close", "ends everything that is open", shutdownAll},
	{"adapter close", "in the middle of transfers stops every access", shutdownBusy},
	{"adapter close", "ends a Connect and refuses a request that waits", shutdownConnecting},
	{"adapter close", "in the middle of connects and accepts leaves nothing behind", shutdownBeside},
}

func shutdownAll(t *env) {
	f := t.fixture(hca.Options{})
	var conns []*conn
	for range 4 {
		c := f.pair()
		c.a.receive(c.a.mail.seg(0, 8))
		c.b.receive(c.b.mail.seg(0, 8))
		t.must("Arm", c.a.rq.cq.Arm())
		conns = append(conns, c)
	}
	f.a.end(setup{}).receive()
	f.a.listen()
	for caps, kind := range map[hca.Caps]hca.WindowKind{
		hca.CapZoneWindows: hca.ZoneWindow, hca.CapEndpointWindows: hca.EndpointWindow,
	} {
		if f.a.can(caps) {
			w := conns[0].a.window(kind)
			conns[0].a.bind(w, conns[0].a.mail, 0, 8, hca.RemoteRead)
		}
	}
	if f.a.can(hca.CapSRQ) {
		srq, err := f.a.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.must("NewSRQ", err)
		t.must("PostRecv", srq.PostRecv(hca.RecvWR{}))
	}
	f.a.close() // looks at the terminal events
	for _, c := range conns {
		c.b.ev.end("the peer's adapter was closed")
		c.b.flushed(c.b.ids)
	}
	f.b.close()
}

func shutdownBusy(t *env) {
	for range 4 {
		c := t.pair()
		const n = 256 << 10
		src := c.a.region(n, hca.LocalRead)
		dst := c.b.region(n, c.b.all())
		paint(src.b, 0xEE)
		ended := c.a.streaming(func(int) hca.SendWR { return write(dst, 0, src.seg(0, n)) })
		c.fixture.b.close()
		paint(dst.b, 0x11)
		c.a.ev.end("the peer's adapter was closed")
		c.a.stopped("Adapter.Close", ended)
		c.fixture.a.close()
		dst.still("after Adapter.Close", 0, n, 0x11)
		dst.guards("after Adapter.Close")
	}
}

func shutdownConnecting(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	done, _ := f.waiting(context.Background(), e)
	f.a.close()
	t.code("Connect", t.result("Connect", done), hca.Closed, hca.Canceled, hca.Disconnected)
	e.ev.none("the adapter was closed")
	f.b.close()
}

// shutdownBeside closes one adapter or the other while connections are made, in each
// round at another moment. Goroutines that are left are a matter of the test's TestMain.
func shutdownBeside(t *env) {
	for round := range 24 {
		f := t.fixture(hca.Options{})
		var dialed, accepted []<-chan error
		for range 4 {
			dialed = append(dialed, f.dial(t.ctx(), f.a.end(setup{}), nil))
		}
		for range dialed {
			e, r := f.b.end(setup{}), f.request()
			accepted = append(accepted, start(func() error { return r.Accept(t.ctx(), e.qp, hca.ConnParams{}) }))
		}
		for range round / 2 {
			runtime.Gosched()
		}
		first, second := f.a, f.b
		if round%2 == 0 {
			first, second = second, first
		}
		first.close()
		for what, all := range map[string][]<-chan error{"Connect": dialed, "Accept": accepted} {
			for _, done := range all {
				var e *hca.Error
				if err := t.result(what, done); err != nil && !errors.As(err, &e) {
					t.Errorf("%s: %T %v, want an *hca.Error", what, err, err)
				}
			}
		}
		second.close()
	}
}
