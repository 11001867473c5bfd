package stream

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestBulkDoesNotOccupyThePoller: bytes that arrive as fast as they are read do not occupy the goroutine that all
// connections share.
func TestBulkDoesNotOccupyThePoller(t *testing.T) {
	const piece, n = 32 << 10, 1000
	a := stalled(t)
	f := feed(t, a, nil, 1, n)
	mr, err := f.c.q.PD.Register(hca.Memory{Bytes: make([]byte, piece)}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	f.w.frame = iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: iwarp.STag(mr.RKey()), TO: iwarp.TO(mr.Addr())}, make([]byte, piece), true)
	for turn := 1; ; turn++ {
		again := f.c.event(turn == 1)
		if most := turn * (rxRunBytes/piece + 1); f.handled(n) > most {
			t.Fatalf("%d pieces were handled in %d turns, want %d at most", f.handled(n), turn, most)
		}
		if !again {
			break
		}
	}
	if f.handled(n) != n {
		t.Errorf("%d of %d pieces were handled", f.handled(n), n)
	}
	if f.c.q.State.Load() != core.StateReady {
		t.Error("the connection is over")
	}
}
