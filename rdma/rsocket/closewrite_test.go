package rsocket_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestCloseWriteAfterThePeersClose is as with a net.TCPConn: it succeeds, and what the peer wrote before can be read,
// whether the program has looked at the connection before or not.
func TestCloseWriteAfterThePeersClose(t *testing.T) {
	for _, c := range []struct {
		what   string
		before func(t *testing.T, y *rsocket.Conn) int
	}{
		{"at once", func(*testing.T, *rsocket.Conn) int { return 0 }},
		{"after a Read", func(t *testing.T, y *rsocket.Conn) int {
			n, err := y.Read(make([]byte, 4))
			must(t, err)
			return n
		}},
		{"after the end", func(t *testing.T, y *rsocket.Conn) int {
			got, err := io.ReadAll(y)
			must(t, err)
			return len(got)
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			onEveryPath(t, func(t *testing.T, name string) {
				x, y := pair(t, open(t, name), rsocket.Config{})
				const words = "last words"
				_, err := x.Write([]byte(words))
				must(t, err)
				must(t, x.Close())
				n := c.before(t, y)
				if err := y.CloseWrite(); err != nil {
					t.Errorf("CloseWrite: %v", err)
				}
				if err := y.CloseWrite(); err != nil {
					t.Errorf("CloseWrite again: %v", err)
				}
				if got, err := io.ReadAll(y); err != nil || string(got) != words[n:] {
					t.Errorf("%q was read, %v", got, err)
				}
				if _, err := y.Write([]byte("x")); !errors.Is(err, rsocket.ErrPipe) {
					t.Errorf("a write: %v", err)
				}
				must(t, y.Close())
			})
		})
	}
}

// TestWriteBehindBothCloses: the peer reads to the end that CloseWrite makes, answers and closes. A Write is refused for
// the CloseWrite then, as with a net.TCPConn, whether the peer's close was heard of or not.
func TestWriteBehindBothCloses(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{})
		must(t, x.CloseWrite())
		_, err := io.ReadAll(y)
		must(t, err)
		_, err = y.Write([]byte("answer"))
		must(t, err)
		must(t, y.Close())
		if got, err := io.ReadAll(x); err != nil || string(got) != "answer" {
			t.Errorf("%q was read, %v", got, err)
		}
		if _, err := x.Write([]byte("x")); !errors.Is(err, rsocket.ErrPipe) {
			t.Errorf("a write: %v", err)
		}
	})
}

// TestCloseWriteAfterALoss: the peer cannot hear of the end any more, as with a net.TCPConn that was reset.
func TestCloseWriteAfterALoss(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		theirs := open(t, name)
		x, y := connect(t, listen(t, theirs, rsocket.Config{}), &rsocket.Dialer{Adapter: open(t, name)})
		_, err := x.Write([]byte("x"))
		must(t, err)
		_, err = y.Read(make([]byte, 1))
		must(t, err)
		must(t, theirs.Close())
		if _, err := io.ReadAll(x); !errors.Is(err, rsocket.ErrReset) {
			t.Fatalf("reading from a peer that was cut off: %v", err)
		}
		if err := x.CloseWrite(); !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("CloseWrite: %v", err)
		}
		must(t, x.Close())
	})
}

// TestBothEndsWaitForTheFirstMessage: see TestCloseWaitsForTheFirstMessage.
func TestBothEndsWaitForTheFirstMessage(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		p, c := rawPairThat(t, a, listen(t, a, rsocket.Config{}), func(*rsock.Hello) {}, func(*rawPeer) {})
		must(t, c.CloseWrite())
		must(t, c.CloseRead())
		select {
		case <-p.conn.Context().Done():
			t.Fatal("the connection ended before the peer has said anything")
		case <-time.After(100 * time.Millisecond): // a wrong implementation has ended it by then
		}
		p.introduce()
		must(t, c.Close())
		<-p.conn.Context().Done()
	})
}
