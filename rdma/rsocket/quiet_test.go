package rsocket_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// eachQuietPath runs a test on the paths without immediate data, with a peer that has connected and says nothing.
// The software adapter is treated as a device is.
func eachQuietPath(t *testing.T, cfg rsocket.Config, test func(t *testing.T, p *rawPeer, y *rsocket.Conn)) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		if name == "soft-tcp" {
			t.Cleanup(rsocket.BeQuietOn("tcp"))
		}
		p, y := rawPairThat(t, a, listen(t, a, cfg), func(*rsock.Hello) {}, func(*rawPeer) {})
		if !sends(p.conn) {
			t.Skip("with immediate data nobody has to wait")
		}
		test(t, p, y)
	})
}

// heard is the next message of the other side, which arrives in the time given, or none.
func (p *rawPeer) heard(patience time.Duration) (m rsock.Message, ok bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	c, _, err := p.conn.RecvCompletions().Wait(ctx, 1)
	if err != nil || c.Status == rdma.StatusFlushed {
		return 0, false
	}
	must(p.t, c.Err())
	return p.got(&c), true
}

// TestNothingBeforeThePeer: the accepting side sends nothing before the first message of its peer, neither its
// introduction nor data nor a probe. Then it sends what has waited.
func TestNothingBeforeThePeer(t *testing.T) {
	eachQuietPath(t, rsocket.Config{KeepAlive: 5 * time.Millisecond}, func(t *testing.T, p *rawPeer, y *rsocket.Conn) {
		wrote := make(chan error, 1)
		go func() {
			_, err := y.Write([]byte("hello"))
			wrote <- err
		}()
		if m, ok := p.heard(100 * time.Millisecond); ok {
			t.Errorf("%v came before the peer has said anything", m)
		}
		if n := y.Controls(); n != 0 || y.Sent() != 0 {
			t.Errorf("%d probes or updates, and %d data messages were sent", n, y.Sent())
		}
		p.introduce()
		must(t, <-wrote)
		for _, want := range []rsock.Message{rsock.WindowMessage(p.hello.Credits), rsock.DataMessage(5)} {
			if m, ok := p.heard(20 * time.Second); m != want {
				t.Errorf("%v, %v instead of %v", m, ok, want)
			}
		}
		if got := string(p.memory.Slice(64, 5).Bytes()); got != "hello" {
			t.Errorf("the half has %q", got)
		}
	})
}

// TestCloseWriteBeforeThePeer: the end waits, too, and is not lost.
func TestCloseWriteBeforeThePeer(t *testing.T) {
	eachQuietPath(t, rsocket.Config{}, func(t *testing.T, p *rawPeer, y *rsocket.Conn) {
		must(t, y.CloseWrite())
		read := make(chan error, 1)
		go func() {
			_, err := y.Read(make([]byte, 1))
			read <- err
		}()
		if m, ok := p.heard(50 * time.Millisecond); ok {
			t.Errorf("%v came before the peer has said anything", m)
		}
		p.introduce()
		if m, ok := p.heard(20 * time.Second); m != rsock.Shutdown {
			t.Errorf("%v, %v instead of the end", m, ok)
		}
		p.message(rsock.Shutdown)
		if err := <-read; err != io.EOF {
			t.Errorf("read: %v", err)
		}
	})
}

// TestCloseBeforeThePeer: a peer that stays silent is told of the end nevertheless: C would wait for it for ever.
func TestCloseBeforeThePeer(t *testing.T) {
	eachQuietPath(t, rsocket.Config{}, func(t *testing.T, p *rawPeer, y *rsocket.Conn) {
		must(t, y.Close())
		if m, ok := p.heard(20 * time.Second); !ok || m != rsock.Disconnect {
			t.Errorf("%v, %v instead of the end", m, ok)
		}
		<-p.conn.Context().Done()
	})
}
