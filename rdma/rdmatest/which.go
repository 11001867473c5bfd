package rdmatest

import (
	"math/rand/v2"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// Which selects some of the operations or calls of a kind. The zero value selects all.
type Which struct {
	nth    int
	chance float64
}

// Nth selects the n-th from now on alone; the first is 1.
func Nth(n int) Which { return Which{nth: max(n, 1)} }

// Chance selects each with this probability, drawn from the seed.
func Chance(p float64) Which {
	if p <= 0 {
		p = -1 // 0 is the zero value, which selects all
	}
	return Which{chance: p}
}

// selects reports whether one is selected, which is the n-th that was seen. done is of x: Nth has selected one. It may be
// overdue: when it was due something else was selected, or what it had selected was refused.
func (x Which) selects(n int, done *bool, draw *rand.Rand) bool {
	if x.nth > 0 {
		due := n >= x.nth && !*done
		*done = *done || due
		return due
	}
	return x.chance == 0 || draw.Float64() < x.chance
}

// Fail makes operations of that kind complete with that status, on all hosts: of those that are posted from
// now on, which says which; posts that return an error do not count. The connection then ends as broken, and what
// is posted behind is flushed, as after an error of a device. The data of the operation may have arrived, or may not
// have. Receives are of the kind rdma.OpRecv, also those of shared queues. It panics if the status is StatusOK.
func (w *World) Fail(op rdma.Op, status rdma.Status, which Which) {
	if status == rdma.StatusOK {
		panic("rdmatest: Fail with StatusOK")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, &failure{op: op, status: status, which: which})
}

// failure is a call of Fail.
type failure struct {
	op     hca.Op
	status hca.Status
	revoke bool // a call of Revoke
	which  Which
	seen   int
	done   bool // the n-th is selected
}

// fate is what becomes of a post.
type fate struct {
	by     *failure   // nil: it is left alone
	revoke bool       // the memory that it names is revoked
	seen   []*failure // that have counted the post
	drawn  []*failure // ... and selected it
}

// fate draws what becomes of a post.
func (w *World) fate(op hca.Op) (t fate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.failures {
		if !f.of(op) {
			continue
		}
		f.seen++
		t.seen = append(t.seen, f)
		if t.by != nil {
			continue // it fails once: what is due now, too, takes the next
		}
		selected := f.which.selects(f.seen, &f.done, w.fates)
		switch {
		case selected && f.revoke:
			t.revoke, t.drawn = true, append(t.drawn, f)
		case selected:
			t.by, t.drawn = f, append(t.drawn, f)
		}
	}
	return t
}

// spare takes back what was drawn for a post that the adapter has refused: it does not count, and another is the n-th.
func (w *World) spare(t fate) {
	if t.seen == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range t.seen {
		f.seen--
	}
	for _, f := range t.drawn {
		f.done = false
	}
}

// befell counts an operation that has completed with the status of a failure.
func (w *World) befell(f *failure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fired["fail "+f.op.String()]++
	w.record("fail", f.op.String()+" with "+f.status.String(), 0)
}

// count counts a fault that fired.
func (w *World) count(kind string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fired[kind]++
}
