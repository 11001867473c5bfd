package hcatest

import (
	"math"
	"net"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
)

var refuseCases = []Case{
	{"refusal", "nobody listening refuses", nobodyListens},
	{"refusal", "a full backlog refuses and later requests pass", backlogFull},
	{"refusal", "a malformed address is a bad address", badAddress},
	{"refusal", "a host that does not answer is unreachable", unreachable},
	{"refusal", "a failed connect gives the receives back", failedConnectFlushes},
}

func nobodyListens(t *env) {
	f := t.fixture(hca.Options{})
	addr := f.addr()
	t.must("Listener.Close", f.ln.Close())
	e := f.a.end(setup{})
	err := t.within("Connect", func() error { return e.qp.Connect(t.ctx(), addr, hca.ConnParams{}) })
	t.code("Connect", err, hca.Refused)
	e.ev.none("refused")
	select {
	case <-f.reqs:
		t.Errorf("a closed listener took a request")
	default:
	}
}

func backlogFull(t *env) {
	f := t.fixture(hca.Options{})
	full := true
	var told []byte
	ln, err := f.b.ad.Listen(t.ctx(), hca.ListenConfig{
		Address: f.h.listenAddress(f.b.ad),
		OnRequest: func(r hca.ConnRequest) bool {
			if full {
				told = r.Private()
				return false
			}
			f.reqs <- r
			return true
		},
	})
	t.must("Listen", err)
	f.ln = ln
	e := f.a.end(setup{})
	t.code("Connect", f.result("Connect", f.dial(t.ctx(), e, []byte("hello"))), hca.Refused)
	e.ev.none("refused")
	if !f.b.whole(told, []byte("hello")) {
		t.Errorf("the refused request said %q", told)
	}
	full = false
	f.pair().expectAlive("after a full backlog")
}

func badAddress(t *env) {
	f := t.fixture(hca.Options{})
	host := f.a.attr.Address
	bad := []string{
		"", "nonsense", net.JoinHostPort(host, "not a service"), net.JoinHostPort(host, "-1"), host,
		net.JoinHostPort(host, "18446744073709551616"), net.JoinHostPort(host, "1") + ":2",
	}
	if most := f.a.attr.MaxService; most > 0 && most < math.MaxUint64 {
		bad = append(bad, net.JoinHostPort(host, strconv.FormatUint(most+1, 10)))
	}
	for _, addr := range bad {
		e := f.a.end(setup{})
		id := e.receive(e.mail.seg(0, 8))
		err := t.within("Connect", func() error { return e.qp.Connect(t.ctx(), addr, hca.ConnParams{}) })
		t.code("Connect to "+addr, err, hca.BadAddress)
		e.flushed(id)
		e.idle("bad address")
		e.ev.none("bad address")
		e.close()
		if addr == "" || addr == "nonsense" || addr == host {
			continue // a listener may take these for a host or for any address
		}
		_, err = f.b.ad.Listen(t.ctx(), hca.ListenConfig{
			Address:   addr,
			OnRequest: func(hca.ConnRequest) bool { return false },
		})
		t.code("Listen on "+addr, err, hca.BadAddress)
	}
}

func unreachable(t *env) {
	if t.h.UnreachableAddress == "" {
		t.Logf("not checked: the harness knows no unreachable address")
		return
	}
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	id := e.receive(e.mail.seg(0, 8))
	err := t.within("Connect", func() error {
		return e.qp.Connect(t.ctx(), f.h.UnreachableAddress, hca.ConnParams{})
	})
	// A network that stays silent can only be told from the time that passed.
	t.code("Connect", err, hca.Unreachable, hca.Timeout)
	e.flushed(id)
	e.ev.none("unreachable")
}

func failedConnectFlushes(t *env) {
	f := t.fixture(hca.Options{})
	t.must("Listener.Close", f.ln.Close())
	e := f.a.end(setup{})
	var ids []uint64
	for i := range 5 {
		ids = append(ids, e.receive(e.mail.seg(8*i, 8)))
	}
	t.code("Connect", f.result("Connect", f.dial(t.ctx(), e, nil)), hca.Refused)
	e.flushed(ids...)
	// The queue pair is over: posts are flushed at once.
	ids = []uint64{e.receive(e.mail.seg(0, 8))}
	e.flushed(ids...)
	id := e.post(send(e.mail.seg(0, 8)))
	e.sent(want{id: id, op: hca.OpSend, status: hca.StatusFlushed})
	e.idle("refused")
	t.code("Connect again", f.result("Connect", f.dial(t.ctx(), e, nil)), hca.State)
	e.ev.none("refused")
}
