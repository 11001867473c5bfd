package stream

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// shortWire accepts a number of bytes, and then nothing.
type shortWire struct {
	deafWire
	left *int
}

func (w shortWire) Write(list [][]byte) (n int, _ error) {
	for _, b := range list {
		n += min(len(b), *w.left-n)
	}
	if *w.left -= n; n == 0 {
		return 0, wire.ErrAgain
	}
	return n, nil
}

// TestWhatIsHalfWrittenIsCopiedBeforeItsFlush: messages of many segments, more than one word of marks covers,
// are half written when the connection ends. The bytes sent after their flush are those of the time before.
func TestWhatIsHalfWrittenIsCopiedBeforeItsFlush(t *testing.T) {
	left := 100
	mem := bytes.Repeat([]byte{0x55}, 16<<10)
	m := newLateAnswer(func(m *lateAnswer) error {
		m.c.w = shortWire{left: &left}
		mr, err := m.q.PD.Register(hca.Memory{Bytes: mem}, hca.LocalRead)
		if err != nil {
			return err
		}
		var wrs []hca.SendWR
		for i := range 4 {
			var segs []hca.Segment
			for k := range core.MaxSGE {
				segs = append(segs, hca.Segment{Addr: mr.Addr() + uint64(i*4096+k*200), Len: 200, Key: mr.LKey()})
			}
			wrs = append(wrs, hca.SendWR{Op: hca.OpSend, Local: segs[0], More: segs[1:]})
		}
		_, err = m.q.PostSends(wrs)
		return err
	}, func([]byte) []byte { return nil })
	defer m.close()
	if n := len(m.c.out.list); n <= 64 {
		t.Fatalf("%d pieces are left to write", n)
	}
	if err := m.q.Disconnect(false); err != nil {
		t.Fatal(err)
	}
	var wcs [8]hca.WC
	if n := m.cq.Poll(wcs[:]); n != 4 || wcs[0].Status != hca.StatusFlushed {
		t.Fatalf("%d entries, the first %+v", n, wcs[0])
	}
	for i := range mem {
		mem[i] = 0xFE
	}
	for i, b := range m.c.out.list {
		if len(b) == 200 && bytes.Count(b, []byte{0x55}) != len(b) {
			t.Fatalf("piece %d goes out as what its memory holds behind the flush", i)
		}
	}
}
