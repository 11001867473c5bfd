package rsocket_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestBadPeers: what a peer does against the protocol ends its connection, and soon, with an error
// that says so. Another connection of the same listener goes on.
func TestBadPeers(t *testing.T) {
	cases := map[string]struct {
		do   func(p *rawPeer)
		want error
	}{
		"data of no bytes":       {func(p *rawPeer) { p.message(rsock.DataMessage(0)) }, rsocket.ErrProtocol},
		"data beyond the half":   {func(p *rawPeer) { p.message(rsock.DataMessage(int(p.hello.Half.Length) + 1)) }, rsocket.ErrProtocol},
		"data beyond any length": {func(p *rawPeer) { p.message(rsock.DataMessage(rsock.MaxData)) }, rsocket.ErrProtocol},
		"more than the ring": {func(p *rawPeer) {
			for range 3 {
				p.message(rsock.DataMessage(int(p.hello.Half.Length)))
			}
		}, rsocket.ErrProtocol},
		"more than the credits": {func(p *rawPeer) {
			for range p.hello.Credits + 1 {
				p.message(rsock.DataMessage(1))
			}
		}, rsocket.ErrProtocol},
		"unknown kind":           {func(p *rawPeer) { p.message(0x20000001) }, rsocket.ErrProtocol},
		"credits for nothing":    {func(p *rawPeer) { p.message(rsock.WindowMessage(65)); p.message(rsock.WindowMessage(65)) }, rsocket.ErrProtocol},
		"credits taken back":     {func(p *rawPeer) { p.message(rsock.WindowMessage(63)) }, rsocket.ErrProtocol},
		"the wrong carrier":      {wrongCarrier, rsocket.ErrProtocol},
		"too long for a message": {func(p *rawPeer) { _ = p.conn.PostSend(rdma.Send{From: p.memory.Slice(3900, 5)}) }, rsocket.ErrReset},
		"data behind the end":    {func(p *rawPeer) { p.message(rsock.Shutdown); p.message(rsock.DataMessage(1)) }, rsocket.ErrProtocol},
		"a write outside":        {writeOutside, rsocket.ErrReset},
		"gone without a word":    {func(p *rawPeer) { _ = p.conn.Abort() }, rsocket.ErrReset},
		"zero-copy, not offered": {func(p *rawPeer) { p.message(0xc0000000); _ = p.conn.Abort() }, rsocket.ErrReset},
	}
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		ln := listen(t, a, rsocket.Config{Messages: 16})
		x, y := connect(t, ln, &rsocket.Dialer{Adapter: a})
		for what, c := range cases {
			p, bad := rawPair(t, a, ln)
			c.do(p)
			must(t, bad.SetDeadline(time.Now().Add(20*time.Second)))
			// Without reading, which would make room. The peer soon has none.
			_, err := bad.Write(make([]byte, 4*rawHalf))
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := bad.Read(make([]byte, 1)); !errors.Is(err, c.want) {
				t.Errorf("%s: the connection can still be read from: %v", what, err)
			}
			_, err = x.Write([]byte("x"))
			must(t, err)
			_, err = y.Read(make([]byte, 1))
			must(t, err)
		}
	})
}

// wrongCarrier sends a message of another length, or as a send where it must be immediate data.
func wrongCarrier(p *rawPeer) {
	_ = p.conn.PostSend(rdma.Send{From: p.memory.Slice(3900, 3)})
}

// writeOutside writes behind the ring, with the ring's key.
func writeOutside(p *rawPeer) {
	to := p.half()
	to.Addr += 1 << 20
	_ = p.conn.PostWrite(rdma.Write{From: p.memory.Slice(0, 8), To: to})
}

// TestBadEntries: a peer that sends this side to memory which is not there.
func TestBadEntries(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		ln := listen(t, a, rsocket.Config{})
		for what, e := range map[string]rsock.Entry{
			"empty":     {Addr: 0x1000, Key: 1},
			"wraps":     {Addr: ^uint64(0) - 3, Key: 1, Length: 8},
			"wrong key": {Addr: 0x1000, Key: 0xdead, Length: rawHalf},
		} {
			p, bad := rawPair(t, a, ln)
			must(t, bad.SetDeadline(time.Now().Add(20*time.Second)))
			_, err := bad.Write(make([]byte, rawHalf)) // half 0 is full
			must(t, err)
			p.entry(0, e)
			p.message(rsock.WindowMessage(65))
			for err == nil {
				_, err = bad.Write(make([]byte, rawHalf))
			}
			if !errors.Is(err, rsocket.ErrProtocol) && !errors.Is(err, rsocket.ErrReset) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// TestOneByteAtATime: a peer of many small messages costs only itself.
func TestOneByteAtATime(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{Messages: 16, Ring: 4096, MaxRing: 4096})
		done := make(chan error)
		go func() {
			for i := range 10_000 {
				if _, err := x.Write([]byte{byte(i)}); err != nil {
					done <- err
					return
				}
			}
			done <- x.CloseWrite()
		}()
		got, err := io.ReadAll(y)
		must(t, err)
		must(t, <-done)
		if len(got) != 10_000 {
			t.Fatalf("%d bytes", len(got))
		}
		for i, b := range got {
			if b != byte(i) {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
	})
}
