package soft

import "github.com/godapl/godapl/internal/hca"

// scatter finds the piece of memory that lies off octets into a list of
// segments, at most n long, checking the one segment that it is in. frail is as in
// localMem.
func scatter(q *qp, pd *pd, first hca.Segment, more []hca.Segment, off, n uint64, need hca.Access) (b []byte, frail bool, f fault) {
	seg := first
	for i := 0; ; i++ {
		if off < uint64(seg.Len) {
			break
		}
		off -= uint64(seg.Len)
		if i == len(more) {
			return nil, false, faultBounds
		}
		seg = more[i]
	}
	if b, frail, f = localMem(pd, seg, need); f != faultNone {
		return nil, false, f
	}
	b = b[off:]
	if uint64(len(b)) > n {
		b = b[:n]
	}
	return b, frail, faultNone
}

// localMem finds the memory of a local segment. frail says that it has to be accessed
// under guard.
func localMem(pd *pd, seg hca.Segment, need hca.Access) (b []byte, frail bool, f fault) {
	g := pd.a.keys.get(seg.Key)
	switch {
	case g == nil || g.mw != nil:
		return nil, false, faultKey
	case g.pd != pd:
		return nil, false, faultZone
	case g.access&need != need:
		return nil, false, faultRights
	}
	off := seg.Addr - g.addr
	if seg.Addr < g.addr || off > uint64(len(g.bytes)) || uint64(seg.Len) > uint64(len(g.bytes))-off {
		return nil, false, faultBounds
	}
	return g.bytes[off : off+uint64(seg.Len) : off+uint64(seg.Len)], g.frail, faultNone
}

// localAll checks all segments that have octets.
func localAll(p *pd, first hca.Segment, more []hca.Segment, need hca.Access) bool {
	seg := first
	for i := 0; ; i++ {
		if seg.Len > 0 {
			if _, _, f := localMem(p, seg, need); f != faultNone {
				return false
			}
		}
		if i == len(more) {
			return true
		}
		seg = more[i]
	}
}
