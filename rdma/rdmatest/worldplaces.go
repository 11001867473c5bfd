package rdmatest

import (
	"bytes"
	"slices"

	"github.com/godapl/godapl/internal/hca"
)

// mostKept is the largest receive whose memory is compared.
const mostKept = 1 << 18

// keepPlace notes what lies in the memory of a receive: behind its message it must be the same. It does not if one of
// the others uses some of it, too.
func (a *worldAdapter) keepPlace(p *posted, others func(yield func(*posted) bool)) {
	if p.len == 0 || p.len > mostKept || len(p.more) > 0 {
		return
	}
	for o := range others {
		if o.local.Key == p.local.Key && o.local.Addr < p.local.Addr+p.len && p.local.Addr < o.local.Addr+o.len {
			o.before = nil
			return
		}
	}
	a.see(p.local, func(b []byte) { p.before = slices.Clone(b) })
}

// behind returns the first byte of a receive's memory that has changed, behind a message of n bytes; -1 if there is none.
func (a *worldAdapter) behind(p *posted, n uint64) (at int) {
	at = -1
	if p.before == nil || n > p.len {
		return at
	}
	a.see(p.local, func(b []byte) {
		if bytes.Equal(b[n:], p.before[n:]) {
			return
		}
		for at = int(n); b[at] == p.before[at]; at++ {
		}
	})
	return at
}

// others lists the receives of a queue pair that are posted. The caller holds q.mu.
func (q *worldQP) others(yield func(*posted) bool) {
	for i := range q.recvs {
		if !yield(&q.recvs[i]) {
			return
		}
	}
}

// others lists the receives that are posted. The caller holds s.mu.
func (s *worldSRQ) others(yield func(*posted) bool) {
	for _, p := range s.recvs {
		if !yield(p) {
			return
		}
	}
}

// spoiled reports that memory behind a message has changed.
func (q *worldQP) spoiled(p *posted, wc *hca.WC) {
	n := wc.Len
	if wc.Op == hca.OpRecvWriteImm {
		n = 0
	}
	if at := q.a.behind(p, n); at >= 0 {
		q.faultf("byte %d of the memory of a receive has changed while it was posted, and %v has brought %d bytes: the memory belongs to the library until then", at, wc.Op, n)
	}
}
