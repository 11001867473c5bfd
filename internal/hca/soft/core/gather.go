package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// Gather copies bytes of the program, from a list of segments at offset off on, to the given slice. It returns
// false if that memory is not usable. A page fault is reported with the operation.
func (q *QP) Gather(to []byte, first hca.Segment, more []hca.Segment, off uint64, op hca.Op) bool {
	for len(to) > 0 {
		from, frail, f := SegmentAt(q, q.PD, first, more, off, uint64(len(to)), hca.LocalRead)
		if f != FaultNone {
			return false
		}
		n, at := rawmem.TryPiece(to, from, frail)
		if at != 0 {
			q.Faulted(at, op.String())
			return false
		}
		to = to[n:]
		off += uint64(n)
	}
	return true
}

// Scatter is the reverse: it copies the given bytes to a list of segments, those of a read or of a receive.
func (q *QP) Scatter(first hca.Segment, more []hca.Segment, off uint64, from []byte, op hca.Op) bool {
	for len(from) > 0 {
		to, frail, f := SegmentAt(q, q.PD, first, more, off, uint64(len(from)), hca.LocalWrite)
		if f != FaultNone {
			return false
		}
		n, at := rawmem.TryPiece(to, from, frail)
		if at != 0 {
			q.Faulted(at, op.String())
			return false
		}
		from = from[n:]
		off += uint64(n)
	}
	return true
}
