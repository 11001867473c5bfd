package rsocket_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"testing"

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
