package rsocket_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// ringConfig is a ring of two halves that does not grow.
var ringConfig = rsocket.Config{Ring: 16 << 10, MaxRing: 16 << 10, Messages: 64}

// pings sends bytes from y to x until done is closed or there were enough: so both sides handle what has
// arrived.
func pings(t *testing.T, x, y *rsocket.Conn, most int, done <-chan struct{}) {
	t.Helper()
	for range most {
		select {
		case <-done:
			return
		default:
		}
		_, err := y.Write([]byte{1})
		must(t, err)
		_, err = io.ReadFull(x, make([]byte, 1))
		must(t, err)
	}
}

// TestCloseReadUnderAWriter: WriteTo is in its writer when CloseRead is called. The bytes that the writer has
// stay what they are, and the peer can go on when the writer has returned.
func TestCloseReadUnderAWriter(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), ringConfig)
		half := x.RingSize() / 2
		first := bytes.Repeat([]byte("a"), half)
		_, err := x.Write(first)
		must(t, err)

		lent, release := make(chan []byte), make(chan struct{})
		var end sync.Once
		t.Cleanup(func() { end.Do(func() { close(release) }) }) // before the connections are closed
		copied := make(chan int64, 1)
		go func() {
			n, err := y.WriteTo(writerFunc(func(p []byte) (int, error) {
				lent <- p
				<-release
				return len(p), nil
			}))
			if err != nil {
				t.Errorf("WriteTo: %v", err)
			}
			copied <- n
		}()
		got := <-lent
		must(t, y.CloseRead())
		_, err = x.Write(bytes.Repeat([]byte("b"), half)) // the other half
		must(t, err)
		pings(t, x, y, 10, nil)
		must(t, x.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		if n, err := x.Write([]byte("c")); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the peer has room again while the writer has all of it: %d, %v", n, err)
		}
		must(t, x.SetWriteDeadline(time.Time{}))
		wrote := make(chan struct{})
		go func() {
			defer close(wrote)
			if _, err := x.Write(bytes.Repeat([]byte("d"), 8*half)); err != nil {
				t.Errorf("writing to a peer that has called CloseRead: %v", err)
			}
		}()
		if !bytes.Equal(got, first[:len(got)]) {
			t.Error("the peer overwrites bytes that the writer has")
		}
		want := int64(len(got))
		end.Do(func() { close(release) })
		if n := <-copied; n != want {
			t.Errorf("WriteTo tells %d bytes, and the writer has got %d", n, want)
		}
		pings(t, x, y, 1<<20, wrote)
		<-wrote
		must(t, y.Close())
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestCloseReadUnderARead: Read copies when CloseRead is called. It returns what was written, and Close returns.
func TestCloseReadUnderARead(t *testing.T) {
	a := open(t, "soft-loop")
	cfg := rsocket.Config{Ring: 2 << 20}
	ln := listen(t, a, cfg)
	want := bytes.Repeat([]byte("a"), 1<<19)
	for range 30 {
		x, y := connect(t, ln, &rsocket.Dialer{Adapter: a, Config: cfg})
		_, err := x.Write(want)
		must(t, err)
		begun, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			p := make([]byte, len(want))
			close(begun)
			n, err := y.Read(p)
			if err != nil && err != io.EOF || !bytes.Equal(p[:n], want[:n]) {
				t.Errorf("%d bytes, %v, or others than were written", n, err)
			}
		}()
		<-begun
		must(t, y.CloseRead())
		<-done
		if n, err := y.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("a read after CloseRead: %d, %v", n, err)
		}
		must(t, y.Close())
		must(t, x.Close())
	}
}

// TestCloseReadAfterClose returns an error, and leaves alone what Close gives back.
func TestCloseReadAfterClose(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), ringConfig)
		half := x.RingSize() / 2
		_, err := x.Write(make([]byte, half))
		must(t, err)
		_, err = io.ReadFull(y, make([]byte, half-1)) // all has arrived, and the half is not free
		must(t, err)
		must(t, y.Close())
		before := y.Unread()
		if err := y.CloseRead(); !errors.Is(err, net.ErrClosed) || before != 1 || y.Unread() != before {
			t.Errorf("%v, and %d unread bytes became %d", err, before, y.Unread())
		}
	})
}
