package vipl_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

func TestConnectTellsBothSides(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a := newSide(t, name, func(v *vipl.VIAttributes) { v.EnableRdmaRead = true })
		b := newSide(t, name)
		at, from := a.address(), b.address()
		type answer struct {
			ret    vipl.Return
			remote vipl.NetAddress
			attrs  vipl.VIAttributes
		}
		answers := make(chan answer, 1)
		go func() {
			var r answer
			var conn vipl.ConnHandle
			r.ret = vipl.ConnectWait(a.nic, at, second, &r.remote, &r.attrs, &conn)
			if r.ret == vipl.Success {
				r.ret = vipl.ConnectAccept(conn, a.vi)
				if vipl.ConnectReject(conn) != vipl.InvalidParameter {
					r.ret = vipl.Error
				}
			}
			answers <- r
		}()
		var theirs vipl.VIAttributes
		ok(t, retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, from, at, second, &theirs) }))
		r := <-answers
		ok(t, r.ret)
		if !bytes.Equal(r.remote.Discriminator(), from.Discriminator()) || len(r.remote.Host()) != len(a.host) {
			t.Errorf("the peer is %v", r.remote)
		}
		for _, x := range []vipl.VIAttributes{r.attrs, theirs} {
			if x.Ptag = 0; x != usual() {
				t.Errorf("%+v", x)
			}
		}
		if a.state() != vipl.StateConnected || b.state() != vipl.StateConnected {
			t.Error(a.state(), b.state())
		}
		want(t, vipl.ConnectRequest(b.vi, from, at, 0, nil), vipl.InvalidState)
	})
}

func TestAWaitIsMatchedByAllBytes(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		at := vipl.MakeNetAddress(a.host, append(a.address().Discriminator(), 1, 2, 3, 4))
		other := vipl.MakeNetAddress(a.host, append(bytes.Clone(at.Discriminator()[:15]), 5))
		want(t, vipl.ConnectRequest(b.vi, b.address(), at, second, nil), vipl.NoMatch)
		r, _ := b.recv(8)
		waits := make(chan vipl.Return, 1)
		go func() {
			var conn vipl.ConnHandle
			ret := vipl.ConnectWait(a.nic, at, second, nil, nil, &conn)
			if ret == vipl.Success {
				ret = vipl.ConnectAccept(conn, a.vi)
			}
			waits <- ret
		}()
		for range 5 {
			want(t, vipl.ConnectRequest(b.vi, b.address(), other, second, nil), vipl.NoMatch)
			if b.state() != vipl.StateIdle {
				t.Fatal(b.state())
			}
		}
		ok(t, retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, second, nil) }))
		ok(t, <-waits)
		// The receive has survived the failures.
		a.sent(a.postSend(a.desc(0, seg(a.mem, a.room(8)))), 0)
		b.received(r, vipl.StatusOpReceive)
	})
}

func TestReject(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		at := a.address()
		waits := make(chan vipl.Return, 1)
		go func() {
			var conn vipl.ConnHandle
			ret := vipl.ConnectWait(a.nic, at, second, nil, nil, &conn)
			if ret == vipl.Success {
				ret = vipl.ConnectReject(conn)
			}
			waits <- ret
		}()
		want(t, retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, second, nil) }), vipl.Reject)
		ok(t, <-waits)
		if b.state() != vipl.StateIdle {
			t.Fatal(b.state())
		}
	})
}

// TestAttributesThatDoNotFit: the request stays, and another VI can be tried.
func TestAttributesThatDoNotFit(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		at := a.address()
		waits := make(chan vipl.Return, 1)
		go func() {
			waits <- retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, second, nil) })
		}()
		var conn vipl.ConnHandle
		ok(t, vipl.ConnectWait(a.nic, at, second, nil, nil, &conn))
		attrs := a.attrs
		if attrs.ReliabilityLevel = vipl.ServiceReliableReception; offers(t, name, attrs.ReliabilityLevel) {
			ok(t, vipl.SetViAttributes(a.vi, &attrs))
			want(t, vipl.ConnectAccept(conn, a.vi), vipl.InvalidReliabilityLevel)
		} else {
			want(t, vipl.SetViAttributes(a.vi, &attrs), vipl.InvalidReliabilityLevel)
		}
		attrs = a.attrs
		attrs.MaxTransferSize--
		ok(t, vipl.SetViAttributes(a.vi, &attrs))
		want(t, vipl.ConnectAccept(conn, a.vi), vipl.InvalidMTU)
		ok(t, vipl.SetViAttributes(a.vi, &a.attrs))
		ok(t, vipl.ConnectAccept(conn, a.vi))
		ok(t, <-waits)
		want(t, vipl.SetViAttributes(a.vi, &a.attrs), vipl.InvalidState)
	})
}

func TestConnectTimeouts(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		var conn vipl.ConnHandle
		want(t, vipl.ConnectWait(a.nic, a.address(), 0, nil, nil, &conn), vipl.Timeout)
		want(t, vipl.ConnectWait(a.nic, a.address(), 1, nil, nil, &conn), vipl.Timeout)
		// A request that nobody answers.
		at := a.address()
		waits := make(chan vipl.Return, 1)
		go func() { waits <- vipl.ConnectWait(a.nic, at, second, nil, nil, &conn) }()
		timeouts := 0
		for asking := true; asking; { // on a busy machine a request may be given up before it arrives
			switch ret := vipl.ConnectRequest(b.vi, b.address(), at, 100, nil); ret {
			case vipl.Timeout:
				timeouts++
			case vipl.NoMatch:
			default:
				t.Fatalf("a request without an answer: %v", ret)
			}
			select {
			case got := <-waits:
				ok(t, got)
				asking = false
			default:
			}
		}
		if timeouts == 0 {
			t.Fatal("no request has timed out")
		}
		want(t, vipl.ConnectAccept(conn, a.vi), vipl.Timeout)
		if a.state() != vipl.StateIdle || b.state() != vipl.StateIdle {
			t.Fatal(a.state(), b.state())
		}
	})
}

// TestDisconnectEndsAnAttempt also of two peers.
func TestDisconnectEndsAnAttempt(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		at := a.address()
		var conn vipl.ConnHandle
		waits := make(chan vipl.Return, 1)
		go func() {
			waits <- retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, vipl.Infinite, nil) })
		}()
		ok(t, vipl.ConnectWait(a.nic, at, second, nil, nil, &conn))
		if b.state() != vipl.StateConnectPending {
			t.Fatal(b.state())
		}
		b.sent(b.postSend(b.desc(0)), vipl.StatusDescFlushedError)
		r := b.postRecv(b.desc(0))
		ok(t, vipl.Disconnect(b.vi))
		want(t, <-waits, vipl.InvalidState)
		b.received(r, vipl.StatusOpReceive|vipl.StatusDescFlushedError)

		for range 2 { // first it connects, then it waits
			ok(t, vipl.ConnectPeerRequest(b.vi, b.address(), a.address(), vipl.Infinite))
			want(t, vipl.ConnectPeerDone(b.vi, nil), vipl.NotDone)
			ok(t, vipl.Disconnect(b.vi))
			want(t, vipl.ConnectPeerDone(b.vi, nil), vipl.InvalidState)
			ok(t, vipl.DestroyVi(b.vi))
			ok(t, vipl.CreateVi(b.nic, &b.attrs, 0, 0, &b.vi))
			a.address()
		}
	})
}

func TestPeers(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		for _, order := range [][2]*side{{a, b}, {b, a}} {
			x, y := order[0], order[1]
			one, two := x.address(), y.address()
			var attrs vipl.VIAttributes
			ok(t, vipl.ConnectPeerRequest(x.vi, one, two, vipl.Infinite))
			want(t, vipl.ConnectPeerRequest(x.vi, one, two, vipl.Infinite), vipl.InvalidState)
			want(t, vipl.ConnectPeerDone(x.vi, &attrs), vipl.NotDone)
			ok(t, vipl.ConnectPeerRequest(y.vi, two, one, second))
			ok(t, vipl.ConnectPeerWait(x.vi, &attrs))
			for {
				ret := vipl.ConnectPeerDone(y.vi, nil)
				if ret == vipl.Success {
					break
				}
				want(t, ret, vipl.NotDone)
			}
			if attrs != usual() {
				t.Fatalf("%+v", attrs)
			}
			want(t, vipl.ConnectPeerWait(x.vi, nil), vipl.InvalidState)
			r, _ := x.recv(1)
			y.sent(y.postSend(y.desc(0)), 0)
			x.received(r, vipl.StatusOpReceive)
			ok(t, vipl.Disconnect(x.vi))
			y.hears(vipl.ErrorConnLost)
			ok(t, vipl.Disconnect(y.vi))
		}
		one, two := a.address(), a.address()
		for range 2 {
			ok(t, vipl.ConnectPeerRequest(a.vi, one, two, 20))
			want(t, vipl.ConnectPeerWait(a.vi, nil), vipl.Timeout)
			one, two = two, one
		}
		want(t, vipl.ConnectPeerRequest(a.vi, one, one, 20), vipl.InvalidParameter)
	})
}

// TestPeersThatDoNotFit hear that both.
func TestPeersThatDoNotFit(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a := newSide(t, name)
		b := newSide(t, name, func(v *vipl.VIAttributes) { v.MaxTransferSize = 1000 })
		one, two := a.address(), b.address()
		ok(t, vipl.ConnectPeerRequest(a.vi, one, two, second))
		ok(t, vipl.ConnectPeerRequest(b.vi, two, one, second))
		want(t, vipl.ConnectPeerWait(a.vi, nil), vipl.InvalidMTU)
		want(t, vipl.ConnectPeerWait(b.vi, nil), vipl.InvalidMTU)
	})
}

func TestPortsInAddresses(t *testing.T) {
	if !bytes.Equal(adapterHost(t, "soft-loop"), []byte{127, 0, 0, 1}) {
		t.Fatal("the loopback adapter has another address")
	}
	a, b := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	at := vipl.MakeNetAddress([]byte{127, 0, 0, 1, 0x20, 0x01}, nil)
	waits := make(chan vipl.Return, 1)
	go func() {
		var conn vipl.ConnHandle
		ret := vipl.ConnectWait(a.nic, at, second, nil, nil, &conn)
		if ret == vipl.Success {
			ret = vipl.ConnectAccept(conn, a.vi)
		}
		waits <- ret
	}()
	ok(t, retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, second, nil) }))
	ok(t, <-waits)
	for _, bad := range []*vipl.NetAddress{nil, {}, {HostAddressLen: 4}, vipl.MakeNetAddress(make([]byte, 5), nil),
		vipl.MakeNetAddress(a.host, make([]byte, 17)), {HostAddressLen: 4, DiscriminatorLen: 1, HostAddress: make([]byte, 4)}} {
		want(t, vipl.ConnectRequest(b.vi, bad, at, 0, nil), vipl.InvalidParameter)
		want(t, vipl.ConnectRequest(b.vi, at, bad, 0, nil), vipl.InvalidParameter)
	}
}

func adapterHost(t testing.TB, name string) []byte {
	var q vipl.NICAttributes
	ok(t, vipl.QueryNic(openNIC(t, name), &q))
	return q.LocalNicAddress
}
