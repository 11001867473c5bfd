package vipl

import "github.com/godapl/godapl/rdma/mem"

// holds tells whether a descriptor lies in memory that is registered under a handle, with the
// tag of the VI, and how many segments it has. That is looked at once: a peer that may write to
// the memory can change it. The caller holds mu.
func (q *workQueue) holds(d *Descriptor, h MemHandle) (segments uint16, ok bool) {
	r := q.around
	if r.handle != h {
		if r = q.find(h); r == nil {
			return 0, false
		}
		q.around = r
	}
	at := d.address()
	off, size := at-r.base, uint64(len(r.bytes)) // off is huge if the descriptor lies before
	if at%DescriptorAlignment != 0 || off > size || size-off < controlSize {
		return 0, false
	}
	segments = d.CS.SegCount
	return segments, size-off-controlSize >= uint64(segments)*segmentSize
}

// find looks a region up that the VI may use.
func (q *workQueue) find(h MemHandle) *region {
	if r := q.vi.nic.memory.Get(uint32(h)); r != nil && r.is(h, q.vi.tag) {
		return r
	}
	return nil
}

// piece is the memory of a data segment that is not empty; ok is false if the VI may not use
// it. The caller holds mu.
func (q *workQueue) piece(s *DataSegment) (piece mem.Slice, ok bool) {
	r, n := q.within, s.Length
	if h := s.Handle; r.handle != h {
		if r = q.find(h); r == nil {
			return piece, false
		}
		q.within = r
	}
	off := s.Data - r.base // huge if the segment lies before
	if uint64(int(off)) != off {
		return piece, false // on 32-bit systems
	}
	piece = r.all.Slice(int(off), int(n))
	return piece, piece.Len() == int(n) // 0 if it is outside
}

// local is the memory of data segments, the first piece and the others; their sum; and the
// status if something is wrong with one. The caller holds mu.
func (q *workQueue) local(list []DescriptorSegment) (first mem.Slice, more []mem.Slice, total uint64, status uint32) {
	if len(list) > int(q.vi.nic.segments) {
		return first, nil, 0, StatusFormatError
	}
	q.more = q.more[:0]
	for i := range list {
		s := &list[i].Local
		if s.Length == 0 {
			continue
		}
		piece, ok := q.piece(s)
		total += uint64(piece.Len()) // and not what the segment says by now
		switch {
		case !ok:
			return first, nil, 0, StatusProtectionError
		case first.Len() == 0:
			first = piece
		default:
			q.more = append(q.more, piece)
		}
	}
	return first, q.more, total, 0
}

// forget forgets the regions, because the VI gets another tag. The caller holds mu.
func (q *workQueue) forget() { q.around, q.within = &noRegion, &noRegion }

// noRegion has no bytes, and stands for none.
var noRegion region

// lose forgets a region that is no longer registered: the queue would keep its memory.
func (q *workQueue) lose(r *region) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.around == r {
		q.around = &noRegion
	}
	if q.within == r {
		q.within = &noRegion
	}
	clear(q.more[:cap(q.more)])
	q.write.From = mem.Slice{}
}
