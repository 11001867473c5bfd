package stream

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// narrowWire accepts as many bytes as there is room for.
type narrowWire struct {
	deafWire
	room int
}

func (w *narrowWire) Write(list [][]byte) (n int, _ error) {
	for _, b := range list {
		k := min(len(b), w.room)
		n, w.room = n+k, w.room-k
	}
	if n == 0 {
		return 0, wire.ErrAgain
	}
	return n, nil
}

// TestTakenRequestsComplete: messages are written together, and the stream accepts the first of them. The peer may wait for
// what the program does when that is complete, before it reads more.
func TestTakenRequestsComplete(t *testing.T) {
	const fpdu = 2 + 18 + 16 + 4 // of a message of 16 bytes
	w := &narrowWire{}
	m := newLateAnswer(func(m *lateAnswer) error {
		m.c.w = w
		seg := hca.Segment{Addr: m.mr.Addr(), Len: 16, Key: m.mr.LKey()}
		_, err := m.q.PostSends([]hca.SendWR{{Op: hca.OpSend, Local: seg}, {Op: hca.OpSend, Local: seg}, {Op: hca.OpWrite, Local: seg}})
		return err
	}, func([]byte) []byte { return nil })
	defer m.close()
	for _, step := range []struct{ more, complete int }{{fpdu - 1, 0}, {1, 1}, {fpdu - 1, 1}, {2, 2}, {fpdu, 3}} {
		w.room = step.more
		m.c.RunSend()
		if m.look(); len(m.status) != step.complete {
			t.Fatalf("%d requests are complete after %d bytes more, want %d", len(m.status), step.more, step.complete)
		}
	}
	for _, s := range m.status {
		if s != hca.StatusOK {
			t.Error(s)
		}
	}
}
