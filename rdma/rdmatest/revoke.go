package rdmatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// Revoke takes memory away from peers while they use it: of the writes, reads and atomic operations that are posted
// from now on, on all hosts, which says whose memory. All remote rights of its region end, as by mem.Region.Modify,
// before the request arrives, and the program that owns the region is not told. Nothing happens to memory that is
// lent by a window, or while a window is bound to it.
func (w *World) Revoke(which Which) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, &failure{revoke: true, which: which})
}

// of reports whether the failure concerns operations of that kind.
func (f *failure) of(op hca.Op) bool {
	if !f.revoke {
		return f.op == op
	}
	switch op {
	case hca.OpWrite, hca.OpWriteImm, hca.OpRead, hca.OpFetchAdd, hca.OpCompareSwap:
		return true
	}
	return false
}

// revoke ends the remote rights of the peer's region with that key. It does not wait for accesses that are under way.
func (q *worldQP) revoke(key hca.Key) {
	q.mu.Lock()
	peer := q.peer
	q.mu.Unlock()
	if peer == nil {
		return
	}
	a := peer.a
	a.mu.Lock()
	r := a.lent[key]
	a.mu.Unlock()
	if r == nil {
		return
	}
	a.h.w.breaking.Go(func() {
		a.mu.Lock()
		access := r.access
		a.mu.Unlock()
		below, ok := r.MR.(*mr).MR.(hca.Modifier)
		if ok && below.Modify(access&^hca.RemoteAll) == nil {
			a.h.w.count("revoke")
		}
	})
}
