package vipl

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// PostSend posts a send, an RDMA write or an RDMA read (VipPostSend). memoryHandle is that
// of the memory in which the descriptor lies, which must have the tag of the VI:
// InvalidParameter otherwise, and if the descriptor is not aligned. ErrorResource if the queue
// is full. ErrorNotSupported for immediate data on a connection that has none. In these cases
// nothing was posted.
//
// Every other fault of the descriptor completes it with an error, in the order of the queue,
// and ends the connection. Without a connection it completes at once, flushed.
func PostSend(viHandle VIHandle, descriptorPtr *Descriptor, memoryHandle MemHandle) Return {
	v := vis.Near(uint64(viHandle))
	if v == nil {
		v = getVI(viHandle)
	}
	if v == nil || descriptorPtr == nil {
		return InvalidParameter
	}
	q, d := &v.send, descriptorPtr
	q.mu.Lock()
	// What is posted by far the most is here in one piece, without calls in between: an RDMA write from one
	// segment, with which nothing is wrong, by a descriptor in the memory of the one before, with data in
	// the memory of the data before. All else is postSend's. Both read what is in the descriptor once,
	// because a peer that may write to the memory can change it.
	place, to, s := q.tail, d.DS[0].Remote(), &d.DS[1].Local
	if v.linked() && !v.confirms && place-q.head < q.fits && q.around.begins(d, memoryHandle) && q.within.handle == s.Handle &&
		d.CS.SegCount == 2 && d.CS.Control == ControlOpRdmawrite && d.CS.Reserved|to.Reserved == 0 {
		off, length := s.Data-q.within.base, s.Length
		from := q.within.all.Slice(int(off), int(length)) // see piece
		if uint64(int(off)) == off && from.Len() != 0 && length == d.CS.Length && length <= v.attrs.MaxTransferSize {
			cookie := cookieOf(v.attempt.Load(), place)
			p := q.at(place)
			p.desc, p.cookie, p.op, p.count = d, cookie, StatusOpRDMAWrite, 2
			p.given, p.flushed, p.done, p.bad = true, false, false, false
			q.tail = place + 1
			d.CS.Status = 0
			w := &q.write // see rdma.Endpoint.PostWriteOf
			w.From, w.Cookie = from, cookie
			w.To.Key, w.To.Addr, w.To.Length = mem.Key(to.Handle), to.Data, uint64(length)
			ret := Success
			if err := v.ep.PostWriteOf(w); err != nil {
				ret = q.unsent(p, p.refused(err))
			}
			q.mu.Unlock()
			return ret
		}
	}
	ret := q.postSend(d, memoryHandle)
	q.mu.Unlock()
	return ret
}

// operations of a control word, as a status tells them.
var operations = [4]uint32{StatusOpSend, StatusOpRDMAWrite, StatusOpRDMARead, StatusOpSend}

// postSend posts a descriptor. The caller holds mu.
func (q *workQueue) postSend(d *Descriptor, h MemHandle) Return {
	segments, ok := q.holds(d, h)
	if !ok {
		return InvalidParameter
	}
	v, control := q.vi, d.CS.Control // read once, as above
	linked := v.linked()
	if control&ControlImmediate != 0 && linked && !v.immediate[control&ControlOpMask] {
		return ErrorNotSupported
	}
	p := q.enter(d, operations[control&ControlOpMask], segments)
	if p == nil {
		return q.noPlace()
	}
	d.CS.Status = 0
	status := uint32(StatusDescFlushedError)
	if linked {
		status = q.send(p, d, control)
	}
	if status == 0 {
		return Success
	}
	return q.unsent(p, status)
}

// unsent is the end of a post whose descriptor the adapter does not have. The caller holds mu.
func (q *workQueue) unsent(p *posted, status uint32) Return {
	if status == noRoom {
		q.tail--
		return ErrorResource
	}
	q.finish(p, status)
	if status != StatusDescFlushedError {
		q.vi.fault()
	}
	return Success
}

// noRoom is no status: the adapter has no room for the request.
const noRoom = StatusReserved

// send gives a descriptor to the adapter, or returns the status with which it fails.
func (q *workQueue) send(p *posted, d *Descriptor, control uint16) uint32 {
	v := q.vi
	list, n := &d.DS[0], p.count // the data segments
	remote := &noRemote
	if control&ControlOpMask != ControlOpSendrecv {
		if n == 0 {
			return StatusFormatError
		}
		remote = d.DS[0].Remote()
		list, n = &d.DS[1], n-1
	}
	if control&ControlOpMask == ControlOpReserved || uint32(control&ControlReserved)|d.CS.Reserved|remote.Reserved != 0 {
		return StatusFormatError
	}
	var from mem.Slice
	var more []mem.Slice
	total := uint64(0)
	if n == 1 && list.Local.Length != 0 { // most have one segment
		var ok bool
		if from, ok = q.piece(&list.Local); !ok {
			return StatusProtectionError
		}
		total = uint64(from.Len())
	} else {
		var status uint32
		if from, more, total, status = q.local(d.list(p.count)[p.count-n:]); status != 0 {
			return status
		}
	}
	if total != uint64(d.CS.Length) {
		return StatusLengthError
	}
	if total > uint64(v.attrs.MaxTransferSize) {
		return StatusFormatError
	}
	p.cookie = cookieOf(v.attempt.Load(), q.tail-1)
	p.given = true
	if err := q.post(control, d.CS.ImmediateData, from, more, remote.memory(total), p.cookie); err != nil {
		return p.refused(err)
	}
	return 0
}

// noRemote stands for the address segment of a send.
var noRemote AddressSegment

// post is the native post of a descriptor.
func (q *workQueue) post(control uint16, immediate uint32, from mem.Slice, more []mem.Slice, remote mem.Remote, cookie uint64) (err error) {
	var flags rdma.Flags
	if control&ControlQfence != 0 {
		flags |= rdma.Fence
	}
	op := control & ControlOpMask
	if op == ControlOpRdmaread {
		return q.vi.ep.PostRead(rdma.Read{Into: from, More: more, From: remote, Cookie: cookie, Flags: flags})
	}
	if control&ControlImmediate != 0 {
		flags |= rdma.WithImmediate
	}
	if q.vi.confirms {
		flags |= rdma.NoCompletion
	}
	if op == ControlOpSendrecv {
		err = q.vi.ep.PostSend(rdma.Send{From: from, More: more, Cookie: cookie, Flags: flags, Immediate: immediate})
	} else {
		err = q.vi.ep.PostWrite(rdma.Write{From: from, More: more, To: remote, Cookie: cookie, Flags: flags, Immediate: immediate})
	}
	if err == nil && q.vi.confirms {
		// The answer of a read proves that the peer has everything that came before.
		err = q.vi.ep.PostRead(rdma.Read{Cookie: cookie})
	}
	return err
}

// refused is the status of a descriptor that the adapter has refused.
func (p *posted) refused(err error) uint32 {
	p.given = false
	if codeOf(err) == rdma.ErrQueueFull {
		return noRoom
	}
	return refused(err)
}

// memory is n bytes of the peer.
func (s *AddressSegment) memory(n uint64) mem.Remote {
	return mem.Remote{Key: mem.Key(s.Handle), Addr: s.Data, Length: n}
}
