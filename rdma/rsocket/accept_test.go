package rsocket_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// siwRequest is what a C client over siw begins with, captured: an MPA request with IRD and ORD,
// and the private data of an rsocket.
const siwRequest = "4d504120494420526571204672616d651002002c0000000101020180000000000000" +
	"56097fd7e0002b66c5000000000200005609" + "7fd800003f11f20000010000"

// TestAcceptDoesNotWait: peers that have asked and then say nothing keep nobody waiting. In the
// peer-to-peer model of MPA such a peer is no connection yet; without it, it is one that is silent.
func TestAcceptDoesNotWait(t *testing.T) {
	a := open(t, "soft-tcp")
	ln := listen(t, a, rsocket.Config{})
	const peerToPeer = "80008001"
	for _, depths := range []string{peerToPeer, peerToPeer, peerToPeer, "00000001", "00000001"} {
		request, err := hex.DecodeString(strings.Replace(siwRequest, "00000001", depths, 1))
		must(t, err)
		silent, err := net.Dial("tcp", ln.Addr().String())
		must(t, err)
		defer silent.Close()
		_, err = silent.Write(request)
		must(t, err)
		_, err = io.ReadFull(silent, make([]byte, 64)) // the answer, with our introduction
		must(t, err)
	}
	slow, err := net.Dial("tcp", ln.Addr().String())
	must(t, err)
	defer slow.Close()
	_, err = slow.Write([]byte(siwRequest[:7]))
	must(t, err)
	begun := time.Now()
	d := rsocket.Dialer{Adapter: a}
	x, err := d.Dial("", ln.Addr().String())
	must(t, err)
	defer x.Close()
	accepted := 0
	for found := false; !found; accepted++ {
		y, err := ln.Accept()
		must(t, err)
		found = y.RemoteAddr().String() == x.LocalAddr().String()
		must(t, y.Close())
	}
	if d := time.Since(begun); d > 5*time.Second || accepted > 3 {
		t.Errorf("a connection behind silent peers took %v, and was number %d", d, accepted)
	}
}

// TestListenerClose ends Accept.
func TestListenerClose(t *testing.T) {
	ln := listen(t, open(t, "soft-loop"), rsocket.Config{})
	done := make(chan error)
	go func() {
		_, err := ln.Accept()
		done <- err
	}()
	must(t, ln.Close())
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: %v", err)
	}
	if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
}

// TestNoRsocket: each side refuses a peer that is none.
func TestNoRsocket(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		zone, err := a.NewZone()
		must(t, err)
		ln := listen(t, a, rsocket.Config{})
		for _, private := range [][]byte{nil, []byte("hello"), make([]byte, 40)} {
			_, err := a.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone, Private: private})
			if !errors.Is(err, rdma.ErrRejected) {
				t.Errorf("private data of %d bytes: %v", len(private), err)
			}
		}
		other, err := a.Listen(t.Context(), place(a), rdma.ListenConfig{})
		must(t, err)
		go func() {
			for r := range other.Requests() {
				_, _ = r.Accept(context.Background(), rdma.EndpointConfig{Zone: zone})
			}
		}()
		d := rsocket.Dialer{Adapter: a}
		if _, err := d.Dial("", other.Addr().String()); !errors.Is(err, rsocket.ErrProtocol) {
			t.Errorf("a listener without private data: %v", err)
		}
		must(t, other.Close())
		var ne *net.OpError
		if _, err := d.Dial("", other.Addr().String()); !errors.As(err, &ne) || !errors.Is(err, rdma.ErrRefused) {
			t.Errorf("no listener: %v", err)
		}
	})
}

// TestManySilentPeers: more peers than a listener has places have asked, and have not begun. One that begins is
// accepted soon.
func TestManySilentPeers(t *testing.T) {
	a := open(t, "soft-tcp")
	ln := listen(t, a, rsocket.Config{Ring: 4096, Messages: 16})
	request, err := hex.DecodeString(strings.Replace(siwRequest, "00000001", "80008001", 1))
	must(t, err)
	answered := make(chan net.Conn, 2*silentPeers)
	for range silentPeers {
		c, err := net.Dial("tcp", ln.Addr().String())
		must(t, err)
		defer c.Close()
		_, err = c.Write(request)
		must(t, err)
		go func() {
			if _, err := io.ReadFull(c, make([]byte, 64)); err != nil {
				c = nil
			}
			answered <- c
		}()
	}
	for taken, early := 0, 0; taken < 256; { // all places are taken
		if <-answered != nil {
			taken++
		} else if early++; early > silentPeers-256 { // on a busy machine the last ones may take places before the first are answered
			t.Fatal("the listener has given up peers before its places were taken")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second) // less than the adapter gives a silent peer
	defer cancel()
	d := rsocket.Dialer{Adapter: a}
	x, err := d.DialContext(ctx, "", ln.Addr().String())
	must(t, err)
	defer x.Close()
	y, err := ln.Accept()
	must(t, err)
	defer y.Close()
	if y.RemoteAddr().String() != x.LocalAddr().String() {
		t.Errorf("%v was accepted, not %v", y.RemoteAddr(), x.LocalAddr())
	}
}

// silentPeers is more than a listener has places.
const silentPeers = 300
