package rsock_test

import (
	"testing"

	"github.com/godapl/godapl/internal/rsock"
)

// filled is a receiver whose two halves of 8000 bytes were filled with messages, and whose program has read the first.
func filled(t *testing.T, message int) *rsock.Receiver {
	t.Helper()
	const size = 8000
	r := rsock.NewReceiver(1<<15, size, 2)
	r.Announce(size)
	for range 2 {
		for left := size; left > 0; {
			n := min(message, left)
			if err := r.Data(uint32(n)); err != nil {
				t.Fatal(err)
			}
			left -= n
		}
	}
	if !r.Read(size) {
		t.Fatal("the first half is not free")
	}
	return &r
}

// TestSize: a half is doubled for small messages, and grows at once where it has cut long ones.
func TestSize(t *testing.T) {
	for _, c := range []struct{ message, free, most, want int }{
		{1, 8000, most, 16000},
		{1001, 8000, most, 16000}, // the last has 993 bytes: that may have been all
		{3000, 8000, most, 128000},
		{8000, 8000, most, 128000},
		{8000, 8000, 10000, 10000},
		{8000, 8000, 8000, 8000},
		{8000, 200000, most, most},
		{8000, 1 << 29, 1 << 29, 1 << 29}, // 16 times that is more than an int of 32 bits has
		{8000, 9000, 8000, 9000},          // the ring was configured to be so large
	} {
		if n := filled(t, c.message).Size(c.free, c.most); n != c.want {
			t.Errorf("%d bytes follow %d at messages of %d, with at most %d; want %d", n, c.free, c.message, c.most, c.want)
		}
	}
}

// TestOneHalfFollowsTheOther: the peer would wait for the smaller one, also where it is not ahead any more.
func TestOneHalfFollowsTheOther(t *testing.T) {
	r := filled(t, 8000)
	r.Announce(r.Size(8000, most))
	r.Read(8000)
	if n := r.Size(8000, most); n != 128000 {
		t.Errorf("%d bytes behind a half of 128000", n)
	}
	r.Announce(128000)
	if err := r.Data(128000); err != nil {
		t.Fatal(err)
	}
	r.Read(128000)
	if n := r.Size(128000, most); n != 128000 {
		t.Errorf("%d bytes, and the peer is not ahead", n)
	}
}
