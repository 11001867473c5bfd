package rsocket_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestCopy moves a stream by ReadFrom and WriteTo, through rings that grow to their limit.
func TestCopy(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		const limit = 128 << 10
		x, y := pair(t, open(t, name), rsocket.Config{MaxRing: limit})
		if n := y.RingSize(); n > 16<<10 {
			t.Errorf("the ring begins with %d bytes", n)
		}
		data := make([]byte, 6<<20)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
		done := make(chan error)
		go func() {
			n, err := x.ReadFrom(bytes.NewReader(data))
			if n != int64(len(data)) {
				t.Errorf("ReadFrom: %d bytes, %v", n, err)
			}
			_ = x.CloseWrite()
			done <- err
		}()
		sum := sha256.New()
		n, err := y.WriteTo(sum)
		if want := sha256.Sum256(data); n != int64(len(data)) || err != nil || !bytes.Equal(sum.Sum(nil), want[:]) {
			t.Errorf("WriteTo: %d bytes, %v, or others", n, err)
		}
		must(t, <-done)
		if n := y.RingSize(); n > limit {
			t.Errorf("the ring has grown to %d bytes, beyond %d", n, limit)
		}
	})
}

// TestRingGrows: a reader that is behind gets a larger ring, and one that is not keeps the small one.
func TestRingGrows(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), rsocket.Config{})
	small := x.RingSize()
	for range 100 { // never more than a message in the ring
		for _, way := range [][2]*rsocket.Conn{{x, y}, {y, x}} {
			_, err := way[0].Write(make([]byte, 1000))
			must(t, err)
			_, err = io.ReadFull(way[1], make([]byte, 1000))
			must(t, err)
		}
	}
	if n := x.RingSize(); n > small {
		t.Errorf("the ring has grown from %d to %d bytes without need", small, n)
	}
	done := make(chan error)
	go func() {
		_, err := x.Write(make([]byte, 4<<20))
		done <- err
	}()
	_, err := io.ReadFull(y, make([]byte, 4<<20))
	must(t, err)
	must(t, <-done)
	if n := y.RingSize(); n <= small {
		t.Errorf("the ring has %d bytes still", n)
	}
}

// TestHugeSizes: a size that the protocol cannot express is as much as it can.
func TestHugeSizes(t *testing.T) {
	beyond := int64(8<<30 + 4096) // each half is longer than an entry can tell
	huge := int(beyond)
	if int64(huge) != beyond {
		t.Skip("no int is that long")
	}
	a := open(t, "soft-loop")
	for _, cfg := range []rsocket.Config{{Ring: huge}, {Ring: math.MaxInt, MaxRing: math.MaxInt, Send: math.MaxInt}} {
		x, y := pair(t, a, cfg)
		must(t, y.SetReadDeadline(time.Now().Add(20*time.Second)))
		sent := make([]byte, 100_000)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(sent)
		must(t, x.SetWriteDeadline(time.Now().Add(20*time.Second)))
		done := make(chan error, 1)
		go func() {
			_, err := x.Write(sent)
			done <- err
		}()
		got := make([]byte, len(sent))
		if n, err := io.ReadFull(y, got); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d bytes, %v, or others than were sent", n, err)
		}
		must(t, <-done)
	}
}

// TestBadWriters: WriteTo does not believe a count that cannot be, and loses no bytes of a writer that takes
// less than it got.
func TestBadWriters(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), rsocket.Config{})
	_, err := x.Write([]byte("0123456789"))
	must(t, err)
	failure := errors.New("it fails")
	for _, c := range []struct {
		n     int
		err   error
		want  error
		taken int64
	}{
		{3, nil, io.ErrShortWrite, 3},
		{0, nil, io.ErrShortWrite, 0},
		{2, failure, failure, 2},
		{-1, nil, rsocket.ErrInvalidWrite, 0},
		{100_000, nil, rsocket.ErrInvalidWrite, 0},
		{100_000, failure, failure, 0},
	} {
		n, err := y.WriteTo(writerFunc(func([]byte) (int, error) { return c.n, c.err }))
		if n != c.taken || !errors.Is(err, c.want) {
			t.Errorf("a writer that returns %d, %v: %d, %v", c.n, c.err, n, err)
		}
	}
	rest := make([]byte, 5)
	if n, err := y.Read(rest); err != nil || string(rest[:n]) != "56789" {
		t.Errorf("the rest is %q, %v", rest[:n], err)
	}
}

// TestBadReaders: ReadFrom does not believe a count that cannot be.
func TestBadReaders(t *testing.T) {
	x, _ := pair(t, open(t, "soft-loop"), rsocket.Config{})
	for _, n := range []int{-1, 1 << 30} {
		got, err := x.ReadFrom(readerFunc(func([]byte) (int, error) { return n, nil }))
		if got != 0 || !errors.Is(err, rsocket.ErrInvalidRead) {
			t.Errorf("a reader that returns %d: %d, %v", n, got, err)
		}
	}
}

// TestPanickingWriter: a program that recovers from it can go on.
func TestPanickingWriter(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), rsocket.Config{})
	_, err := x.Write([]byte("0"))
	must(t, err)
	for what, call := range map[string]func(){
		"WriteTo":  func() { _, _ = y.WriteTo(writerFunc(func([]byte) (int, error) { panic("the writer") })) },
		"ReadFrom": func() { _, _ = y.ReadFrom(readerFunc(func([]byte) (int, error) { panic("the reader") })) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			call()
		}()
	}
	must(t, y.CloseRead())
	if n := y.Unread(); n != 0 {
		t.Errorf("%d bytes unread after CloseRead", n)
	}
}

// measuredReader has a Len of the program.
type measuredReader struct {
	io.Reader
	length func() int
}

func (r *measuredReader) Len() int { return r.length() }

// TestReaderWithALen: nothing of a reader runs inside the connection's lock, so it may use the connection.
func TestReaderWithALen(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), rsocket.Config{})
	_, err := x.ReadFrom(&measuredReader{strings.NewReader("hello"), func() int {
		_ = x.SetReadDeadline(time.Time{}) // with the lock held it waits for ever
		return 5
	}})
	must(t, err)
	got := make([]byte, 5)
	if _, err := io.ReadFull(y, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
