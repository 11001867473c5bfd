package vipl

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// operations of a control word, as a status tells them.
var operations = [4]uint32{StatusOpSend, StatusOpRDMAWrite, StatusOpRDMARead, StatusOpSend}

// postSend posts a descriptor that lies where it may. The caller holds mu.
func (q *workQueue) postSend(d *Descriptor, segments uint16) Return {
	v, control := q.vi, d.CS.Control // read once, as above
	linked := v.linked()
	if control&ControlImmediate != 0 && linked && !v.immediate[control&ControlOpMask] {
		return ErrorNotSupported
	}
	p := q.enter(d, operations[control&ControlOpMask], segments)
	if p == nil {
		return ErrorResource
	}
	d.CS.Status = 0
	status := uint32(StatusDescFlushedError)
	switch {
	case !linked:
	case control == ControlOpRdmawrite && segments == 2 && d.DS[1].Local.Length != 0 && !v.confirms:
		status = q.write(p, d)
	default:
		status = q.send(p, d, control)
	}
	if status == 0 {
		return Success
	}
	if status == noRoom {
		q.tail--
		return ErrorResource
	}
	q.finish(p, status)
	if status != StatusDescFlushedError {
		v.fault()
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

// write is send for what is posted by far the most: an RDMA write from one segment.
func (q *workQueue) write(p *posted, d *Descriptor) uint32 {
	v, to := q.vi, d.DS[0].Remote()
	from, ok := q.piece(&d.DS[1].Local)
	total := uint64(from.Len())
	switch {
	case d.CS.Reserved|to.Reserved != 0:
		return StatusFormatError
	case !ok:
		return StatusProtectionError
	case total != uint64(d.CS.Length):
		return StatusLengthError
	case total > uint64(v.attrs.MaxTransferSize):
		return StatusFormatError
	}
	p.cookie = cookieOf(v.attempt.Load(), q.tail-1)
	p.given = true
	var w rdma.Write // see rdma.Endpoint.PostWriteOf
	w.From, w.Cookie = from, p.cookie
	w.To.Key, w.To.Addr, w.To.Length = mem.Key(to.Handle), to.Data, total
	if err := v.ep.PostWriteOf(&w); err != nil {
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
