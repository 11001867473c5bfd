package inproc_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// part is n bytes of an end's memory, from off on.
func part(e *softtest.End, off, n int) hca.Segment {
	return hca.Segment{Addr: e.MR.Addr() + uint64(off), Len: uint32(n), Key: e.MR.LKey()}
}

func ready(e hca.CQ) bool { return e.(hca.Peeker).Ready() }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// entries takes n completions, and compares their statuses.
func entries(t *testing.T, cq hca.CQ, want ...hca.Status) []hca.WC {
	t.Helper()
	got := softtest.PollN(t, cq, len(want))
	for i, wc := range got {
		if wc.Status != want[i] {
			t.Errorf("completion %d: %v, want %v", i, wc.Status, want[i])
		}
	}
	return got
}
