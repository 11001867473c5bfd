package rsocket_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// Over shared memory a long Write copies from the program's bytes to the peer's ring, once the peer's halves are mapped.
func TestLongWritesGoStraightToThePeer(t *testing.T) {
	x, y := pair(t, open(t, "soft-shm"), rsocket.Config{})
	const long, times = 1 << 20, 20
	want := make([]byte, long)
	rng := rand.NewChaCha8([32]byte{1})
	errs := make(chan error, 1)
	go func() {
		for range times {
			_, _ = rng.Read(want)
			if _, err := x.Write(want); err != nil {
				errs <- err
				return
			}
			clear(want) // it is the program's again
		}
		errs <- x.CloseWrite()
	}()
	got, err := io.ReadAll(y)
	must(t, err)
	must(t, <-errs)
	check := rand.NewChaCha8([32]byte{1})
	for i := range times {
		_, _ = check.Read(want)
		if len(got) < long || !bytes.Equal(got[:long], want) {
			t.Fatalf("write %d did not arrive as it was, or not all of it: %d bytes are left", i, len(got))
		}
		got = got[long:]
	}
	if n := x.Straight(); n < times*long/2 {
		t.Errorf("%d bytes were copied straight, of %d", n, times*long)
	}
}
