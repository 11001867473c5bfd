package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// BenchmarkCount is what the counters cost. It takes eight queue pairs in turn: an addition to a word waits for
// the addition to it before, which in a program is a whole operation earlier.
func BenchmarkCount(b *testing.B) {
	var qs [8]QP
	b.Run("request", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			qs[i&7].CountSent(hca.OpWrite, 8)
		}
	})
	b.Run("receive", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			qs[i&7].CountReceived(hca.OpRecv, 8)
		}
	})
	b.Run("nothing", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_ = &qs[i&7]
		}
	})
}

// TestCountingIsBounded: a goroutine that stays inside a gate costs the reader a tenth of a second, not more.
func TestCountingIsBounded(t *testing.T) {
	q := &QP{RQ: &receives.Queue{}}
	q.Tx.Lock()
	s := hca.QPStats{SendHigh: 7}
	if q.ReadStats(&s, hca.NewPatience(false)) || s.SendHigh != 7 {
		t.Errorf("read inside a gate that is held: %+v", s)
	}
	q.Tx.Leave()
	if !q.ReadStats(&s, hca.NewPatience(false)) || s.SendHigh != 0 {
		t.Errorf("not read after that: %+v", s)
	}
}
