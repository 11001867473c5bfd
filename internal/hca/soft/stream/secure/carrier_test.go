package secure

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// slow takes a part of what is written, and keeps it.
type slow struct {
	takes int
	got   []byte
}

func (s *slow) Read([]byte) (int, error) { return 0, wire.ErrAgain }

func (s *slow) Write(list [][]byte) (int, error) {
	n := min(s.takes, len(list[0]))
	s.got = append(s.got, list[0][:n]...)
	if n == 0 {
		return 0, wire.ErrAgain
	}
	return n, nil
}

// TestSentBytesMakeRoom: what a slow peer has not taken yet stays small, however long there is a rest.
func TestSentBytesMakeRoom(t *testing.T) {
	s := &slow{}
	c := &carrier{socket: s}
	var want []byte
	piece := make([]byte, 1000)
	for round := range 5000 {
		for i := range piece {
			piece[i] = byte(round + i)
		}
		want = append(want, piece...)
		if n, err := c.Write(piece); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
		s.takes = len(piece)
		if round == 0 {
			s.takes-- // there is a rest from now on
		}
		if _, err := c.flush(false); err != nil {
			t.Fatal(err)
		}
		s.takes = 0
		if c.out == nil || cap(*c.out) > 4*outBatch {
			t.Fatalf("round %d: %d bytes of room for a rest of one", round, cap(*c.out))
		}
	}
	s.takes = 1 << 30
	if all, err := c.flush(false); !all || err != nil || !bytes.Equal(s.got, want) {
		t.Errorf("%t, %v, %d of %d bytes, the same: %t", all, err, len(s.got), len(want), bytes.Equal(s.got, want))
	}
}
