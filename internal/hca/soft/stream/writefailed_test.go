package stream

import (
	"io"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// fullWire accepts nothing, and is lost later.
type fullWire struct {
	deafWire
	lost bool
	tx   *bool // whether the last Arm asked for room
}

func (w *fullWire) Write([][]byte) (int, error) {
	if w.lost {
		return 0, io.ErrClosedPipe
	}
	return 0, wire.ErrAgain
}

func (w *fullWire) Arm(_, tx bool) { *w.tx = tx }

// TestNobodyWaitsForALostStream: a stream that fails while this side waits for room is drained for a while, and nobody
// waits for room any more: a stream of the program that has room would wake the connection again and again.
func TestNobodyWaitsForALostStream(t *testing.T) {
	var w *fullWire
	asked := false
	m := newLateAnswer(func(m *lateAnswer) error {
		w = &fullWire{tx: &asked}
		m.c.w = w
		return m.q.PostSend(hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: m.mr.Addr(), Len: 64, Key: m.mr.LKey()}})
	}, func([]byte) []byte { return nil })
	defer m.close()
	if !asked {
		t.Fatal("this side does not wait for room")
	}
	w.lost = true
	m.c.RunSend()
	m.c.Arm()
	if asked {
		t.Error("this side waits for room in a stream that is lost")
	}
}
