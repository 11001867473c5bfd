package hcatest

import (
	"context"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// fixture is two adapters, a that dials and b that listens.
type fixture struct {
	*env
	a, b *side
	ln   hca.Listener
	reqs chan hca.ConnRequest
}

func (t *env) fixture(opt hca.Options) *fixture {
	t.Helper()
	f := &fixture{env: t, a: t.side("dialer", opt), b: t.side("listener", opt)}
	f.ln, f.reqs = f.b.listen()
	return f
}

// listen makes a listener and returns the channel of its requests.
func (s *side) listen() (hca.Listener, chan hca.ConnRequest) {
	s.Helper()
	reqs := make(chan hca.ConnRequest, 256)
	ln, err := s.ad.Listen(s.ctx(), hca.ListenConfig{
		Address: s.h.listenAddress(s.ad),
		OnRequest: func(r hca.ConnRequest) bool {
			select {
			case reqs <- r:
				return true
			default:
				return false
			}
		},
	})
	s.must(s.name+": Listen", err)
	return ln, reqs
}

func (f *fixture) addr() string { return f.h.dialAddress(f.ln) }

// dial starts to connect e.
func (f *fixture) dial(ctx context.Context, e *end, private []byte) <-chan error {
	return start(func() error { return e.qp.Connect(ctx, f.addr(), hca.ConnParams{Private: private}) })
}

// request is the next request that arrives.
func (f *fixture) request() hca.ConnRequest {
	f.Helper()
	return await(f.env, "connection request", f.reqs)
}

// conn is two connected ends.
type conn struct {
	*fixture
	a, b *end
}

// pair makes two ends and connects them. Without a setup both are defaults; one setup
// is for both ends, two are for dialer and listener.
func (f *fixture) pair(cfg ...setup) *conn {
	f.Helper()
	var a, b setup
	switch len(cfg) {
	case 0:
	case 1:
		a, b = cfg[0], cfg[0]
	default:
		a, b = cfg[0], cfg[1]
	}
	c := &conn{fixture: f, a: f.a.end(a), b: f.b.end(b)}
	f.connect(c.a, c.b)
	return c
}

// pair is a pair on adapters of its own.
func (t *env) pair(cfg ...setup) *conn {
	t.Helper()
	return t.fixture(hca.Options{}).pair(cfg...)
}

// connect connects two fresh ends.
func (f *fixture) connect(a, b *end) {
	f.Helper()
	ctx := f.ctx()
	accepted := start(func() error {
		select {
		case r := <-f.reqs:
			return r.Accept(ctx, b.qp, hca.ConnParams{})
		case <-ctx.Done():
			return errors.New("no connection request arrived")
		}
	})
	err := f.result("Connect", f.dial(ctx, a, nil))
	f.must("Connect", err)
	f.must("Accept", f.result("Accept", accepted))
	for _, e := range []*end{a, b} {
		if e.info = e.ev.info(); e.info == nil {
			f.Fatalf("%s: connected without an event before the call returned", e.name)
		}
	}
}

// close closes both queue pairs.
func (c *conn) close() {
	c.Helper()
	c.a.close()
	c.b.close()
}

// ends is both, for checks that hold for either.
func (c *conn) ends() []*end { return []*end{c.a, c.b} }

// peer is the other end.
func (c *conn) peer(e *end) *end {
	if e == c.a {
		return c.b
	}
	return c.a
}
