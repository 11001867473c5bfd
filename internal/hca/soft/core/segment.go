package core

import "github.com/godapl/godapl/internal/hca"

// SegmentAt returns the memory at offset off of a list of segments, at most n bytes, and checks the segment in
// which that lies. frail is as in LocalMem.
func SegmentAt(q *QP, pd *PD, first hca.Segment, more []hca.Segment, off, n uint64, need hca.Access) (b []byte, frail bool, f fault) {
	seg := first
	for i := 0; ; i++ {
		if off < uint64(seg.Len) {
			break
		}
		off -= uint64(seg.Len)
		if i == len(more) {
			return nil, false, FaultBounds
		}
		seg = more[i]
	}
	if b, frail, f = LocalMem(pd, seg, need); f != FaultNone {
		return nil, false, f
	}
	b = b[off:]
	if uint64(len(b)) > n {
		b = b[:n]
	}
	return b, frail, FaultNone
}

// LocalMem returns the memory of a local segment. frail reports that accesses need Guard.
func LocalMem(pd *PD, seg hca.Segment, need hca.Access) (b []byte, frail bool, f fault) {
	g := pd.Adapter.Keys.Get(seg.Key)
	switch {
	case g == nil || g.MW != nil:
		return nil, false, FaultKey
	case g.PD != pd:
		return nil, false, FaultZone
	case g.Access&need != need:
		return nil, false, FaultRights
	}
	off := seg.Addr - g.Addr
	if seg.Addr < g.Addr || off > uint64(len(g.Bytes)) || uint64(seg.Len) > uint64(len(g.Bytes))-off {
		return nil, false, FaultBounds
	}
	return g.Bytes[off : off+uint64(seg.Len) : off+uint64(seg.Len)], g.Frail, FaultNone
}

// LocalAll checks all segments that have bytes.
func LocalAll(p *PD, first hca.Segment, more []hca.Segment, need hca.Access) bool {
	seg := first
	for i := 0; ; i++ {
		if seg.Len > 0 {
			if _, _, f := LocalMem(p, seg, need); f != FaultNone {
				return false
			}
		}
		if i == len(more) {
			return true
		}
		seg = more[i]
	}
}
