package rsocket_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestHalfClose: what was written arrives, then the end; the other direction goes on.
func TestHalfClose(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{})
		question := bytes.Repeat([]byte("question "), 1000)
		_, err := x.Write(question)
		must(t, err)
		must(t, x.CloseWrite())
		if _, err := x.Write(question); !errors.Is(err, rsocket.ErrPipe) {
			t.Errorf("a write after CloseWrite: %v", err)
		}
		got, err := io.ReadAll(y)
		if err != nil || !bytes.Equal(got, question) {
			t.Fatalf("%d bytes of %d, %v", len(got), len(question), err)
		}
		_, err = y.Write([]byte("answer"))
		must(t, err)
		must(t, y.CloseWrite())
		if got, err = io.ReadAll(x); err != nil || string(got) != "answer" {
			t.Fatalf("%q, %v", got, err)
		}
		must(t, x.Close())
		must(t, y.Close())
		if err := y.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("closing twice: %v", err)
		}
	})
}

// TestCloseRead: the peer can go on writing more than any ring holds.
func TestCloseRead(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{MaxRing: 16 << 10})
		must(t, y.CloseRead())
		if n, err := y.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("a read after CloseRead: %d, %v", n, err)
		}
		done := make(chan error)
		go func() {
			_, err := x.Write(make([]byte, 1<<20))
			done <- errors.Join(err, x.Close())
		}()
		// Only a call of the program handles what arrives, and this one has no room before that.
		_, err := y.Write(make([]byte, 1<<20))
		if !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("writing to a peer that reads nothing and closes: %v", err)
		}
		must(t, <-done)
	})
}

// TestClosedByPeer: what the peer wrote before Close can be read, then the end. Writing fails.
func TestClosedByPeer(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{})
		_, err := x.Write([]byte("last words"))
		must(t, err)
		must(t, x.Close())
		got, err := io.ReadAll(y)
		if err != nil || string(got) != "last words" {
			t.Fatalf("%q, %v", got, err)
		}
		var ne net.Error
		if _, err := y.Write([]byte("more")); !errors.Is(err, rsocket.ErrReset) || !errors.As(err, &ne) || ne.Timeout() {
			t.Errorf("a write to a peer that has closed: %v", err)
		}
	})
}

// TestReadingAfterTheLastEnd: both directions are closed, and there is still something to read. That makes room,
// of which nobody needs to hear: the connection does not fail.
func TestReadingAfterTheLastEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{})
		sent := make([]byte, x.RingSize()-100)
		_, err := x.Write(sent)
		must(t, err)
		must(t, x.CloseWrite())
		for y.Readable() {
			pings(t, x, y, 1, nil)
		}
		must(t, y.CloseWrite())
		got, err := io.ReadAll(y)
		if err != nil || len(got) != len(sent) {
			t.Errorf("%d bytes of %d, %v", len(got), len(sent), err)
		}
		if _, err := y.Write(nil); !errors.Is(err, rsocket.ErrPipe) {
			t.Errorf("a write after CloseWrite: %v", err)
		}
	})
}

// TestAborted: an end that the peer has not announced is an error, also for a Read that waits.
func TestAborted(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		theirs := open(t, name)
		ln := listen(t, theirs, rsocket.Config{})
		x, y := connect(t, ln, &rsocket.Dialer{Adapter: open(t, name)})
		_, err := y.Write([]byte("cut off"))
		must(t, err)
		done := make(chan error)
		go func() {
			_, err := io.ReadAll(x)
			done <- err
		}()
		_, err = x.Write([]byte("x"))
		must(t, err)
		_, err = y.Read(make([]byte, 1))
		must(t, err)
		must(t, theirs.Close())
		if err := <-done; !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("reading from a peer that was cut off: %v", err)
		}
	})
}

// TestCloseWaitsForTheFirstMessage: a C program whose connection ends before it has looked at it may not find what
// was written. So a connection whose peer has said nothing stays for a while after Close.
func TestCloseWaitsForTheFirstMessage(t *testing.T) {
	t.Run("alone", func(t *testing.T) { closeWaits(t, false) })
	t.Run("beside a Read", func(t *testing.T) { closeWaits(t, true) })
}

// closeWaits closes a connection whose peer has said nothing, also while a Read waits for it.
func closeWaits(t *testing.T, reading bool) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		ln := listen(t, a, rsocket.Config{})
		p, c := rawPairThat(t, a, ln, func(*rsock.Hello) {}, func(*rawPeer) {})
		if p.conn.Path() != "verbs" || !sends(p.conn) { // there a Write waits for the first message, too
			_, err := c.Write([]byte("x"))
			must(t, err)
		}
		read := make(chan error, 1)
		if reading {
			go func() {
				_, err := c.Read(make([]byte, 1))
				read <- err
			}()
			for !c.Reading() {
				runtime.Gosched()
			}
		}
		closed := make(chan error, 1)
		go func() { closed <- c.Close() }()
		// A wrong implementation has ended the connection by then.
		select {
		case <-p.conn.Context().Done():
			t.Error("the connection ended before the peer has said anything")
		case <-time.After(100 * time.Millisecond):
		}
		p.introduce()
		<-p.conn.Context().Done()
		must(t, <-closed)
		if reading {
			if err := <-read; !errors.Is(err, net.ErrClosed) {
				t.Errorf("read: %v", err)
			}
		}
	})
}

// TestUnknownControls: messages about the connection that are not known are ignored, as C does.
func TestUnknownControls(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		p, y := rawPair(t, a, listen(t, a, rsocket.Config{}))
		for _, value := range []rsock.Message{1, 3, 7, 1<<29 - 1} {
			p.message(rsock.Disconnect | value)
		}
		p.message(rsock.DataMessage(1))
		if n, err := y.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("a read behind unknown messages: %d, %v", n, err)
		}
		_, err := y.Write([]byte("x"))
		must(t, err)
	})
}
