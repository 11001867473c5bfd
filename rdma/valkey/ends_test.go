package valkey_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/valkey"
)

// TestClosedByPeer: what the peer wrote before Close can be read, then the end. Writing fails.
func TestClosedByPeer(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), valkey.Config{})
		_, err := x.Write([]byte("last words"))
		must(t, err)
		must(t, x.Close())
		got, err := io.ReadAll(y)
		if err != nil || string(got) != "last words" {
			t.Fatalf("%q, %v", got, err)
		}
		var ne net.Error
		if _, err := y.Write([]byte("more")); !errors.Is(err, valkey.ErrReset) || !errors.As(err, &ne) || ne.Timeout() {
			t.Errorf("a write to a peer that has closed: %v", err)
		}
		if err := x.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("closing twice: %v", err)
		}
	})
}

// TestAborted: an end that the peer has not wanted is an error, also for a Read that waits.
func TestAborted(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		theirs := open(t, name)
		ln := listen(t, theirs, valkey.Config{})
		x, y := connect(t, ln, &valkey.Dialer{Adapter: open(t, name)})
		done := make(chan error)
		go func() {
			_, err := x.Read(make([]byte, 1))
			done <- err
		}()
		_, err := x.Write([]byte("x"))
		must(t, err)
		_, err = y.Read(make([]byte, 1))
		must(t, err)
		must(t, theirs.Close())
		if err := <-done; err == nil {
			t.Error("a read goes on when the peer is gone")
		}
	})
}

// TestIdlePeer: a peer may send far more messages than there are receives while the program reads
// nothing.
func TestIdlePeer(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), valkey.Config{Receives: 16})
		want := bytes.Repeat([]byte("0123456789"), 20)
		must(t, y.SetDeadline(time.Now().Add(20*time.Second)))
		for _, b := range want {
			_, err := y.Write([]byte{b})
			must(t, err)
		}
		must(t, y.Close())
		got, err := io.ReadAll(x)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestSmallWritesAreGathered: a peer that says nothing gets few writes, however many
// the program makes, and all bytes.
func TestSmallWritesAreGathered(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), valkey.Config{KeepAlive: time.Second})
		const count = 20_000
		for i := range count {
			_, err := x.Write([]byte{byte(i)})
			must(t, err)
		}
		if n := x.Unserved(); n > 300 {
			t.Errorf("%d writes that the peer has not answered", n)
		}
		got := make([]byte, count)
		_, err := io.ReadFull(y, got)
		must(t, err)
		for i, b := range got {
			if b != byte(i) {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
	})
}

// TestFeatures: the client learns what the server has.
func TestFeatures(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), valkey.Config{})
		go func() {
			_, _ = y.Read(make([]byte, 1)) // which answers
			_, _ = y.Write([]byte("x"))
		}()
		_, err := x.Write([]byte("x"))
		must(t, err)
		_, err = x.Read(make([]byte, 1))
		must(t, err)
		if f, known := x.ServerFeatures(); f != 0 || !known {
			t.Errorf("%#x, %t", f, known)
		}
	})
}
