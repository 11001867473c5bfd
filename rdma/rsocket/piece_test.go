package rsocket_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestPieces: a long Write is one message over shared memory, where each is a wait for the peer. Elsewhere the
// peer has the first bytes early.
func TestPieces(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{Ring: 4 << 20})
		data, got := make([]byte, 1<<20), make([]byte, 1<<20)
		_, _ = rand.NewChaCha8([32]byte{2}).Read(data)
		before := x.Sent()
		_, err := x.Write(data)
		must(t, err)
		// 64, 64, 128 and three times 256 KiB; smaller ones while completions are late.
		least, most := uint16(6), uint16(16)
		if x.LocalAddr().Network() == "shm" {
			least, most = 1, 1
		}
		if n := x.Sent() - before; n < least || n > most {
			t.Errorf("%d messages, want %d to %d", n, least, most)
		}
		_, err = io.ReadFull(y, got)
		must(t, err)
		if !bytes.Equal(got, data) {
			t.Error("other bytes than were written")
		}
	})
}

// TestPiecesGoOn: behind a Write whose bytes are still on their way, the next does not begin with a small message
// again.
func TestPiecesGoOn(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), rsocket.Config{Ring: 4 << 20, Send: 4 << 20})
	if n, underway := x.FirstPiece(); n != 64<<10 || underway != 0 {
		t.Errorf("a Write begins with %d bytes, and %d are on their way", n, underway)
	}
	data := make([]byte, 256<<10)
	_, err := x.Write(data)
	must(t, err)
	n, underway := x.FirstPiece()
	if underway <= 64<<10 { // completions come with the next call
		t.Errorf("%d bytes are on their way", underway)
	}
	if n != min(underway, 256<<10) {
		t.Errorf("behind %d bytes a Write begins with %d", underway, n)
	}
	_, err = io.ReadFull(y, data)
	must(t, err)
}
