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
