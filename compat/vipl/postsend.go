package vipl

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// operations of a control word, as a status tells them.
var operations = [4]uint32{StatusOpSend, StatusOpRDMAWrite, StatusOpRDMARead, StatusOpSend}

// postSend posts a descriptor that lies where it may. The caller holds mu.
func (q *workQueue) postSend(d *Descriptor, segments uint16) Return {
	v, cs := q.vi, &d.CS
	state := v.is()
	connected := state == StateConnected || state == StateError
	if cs.Control&ControlImmediate != 0 && connected && !v.immediate[cs.Control&ControlOpMask] {
		return ErrorNotSupported
	}
	p := q.enter(d, operations[cs.Control&ControlOpMask], segments)
	if p == nil {
		return ErrorResource
	}
	cs.Status = 0
	status := uint32(StatusDescFlushedError)
	if connected {
		status = q.send(p, d)
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
func (q *workQueue) send(p *posted, d *Descriptor) uint32 {
	cs, v := &d.CS, q.vi
	first, n := uint16(0), p.count // the data segments
	remote := &noRemote
	if cs.Control&ControlOpMask != ControlOpSendrecv {
		if n == 0 {
			return StatusFormatError
		}
		remote = d.DS[0].Remote()
		first, n = 1, n-1
	}
	if cs.Control&ControlOpMask == ControlOpReserved || uint32(cs.Control&ControlReserved)|cs.Reserved|remote.Reserved != 0 {
		return StatusFormatError
	}
	var from mem.Slice
	var more []mem.Slice
	total := uint64(0)
	if s := &d.DS[first].Local; n == 1 && s.Length != 0 { // most have one segment
		var ok bool
		if from, ok = q.piece(s); !ok {
			return StatusProtectionError
		}
		total = uint64(s.Length)
	} else {
		var status uint32
		if from, more, total, status = q.local(d.list(p.count)[first:]); status != 0 {
			return status
		}
	}
	if total != uint64(cs.Length) {
		return StatusLengthError
	}
	if total > uint64(v.attrs.MaxTransferSize) {
		return StatusFormatError
	}
	p.attempt = v.attempt.Load()
	p.given = true
	cookie := cookieOf(p.attempt, q.tail-1)
	var err error
	if cs.Control == ControlOpRdmawrite && len(more) == 0 && !v.confirms { // by far the most frequent
		var w rdma.Write // see rdma.Endpoint.PostWriteOf
		w.From, w.Cookie = from, cookie
		w.To.Key, w.To.Addr, w.To.Length = mem.Key(remote.Handle), remote.Data, total
		err = v.ep.PostWriteOf(&w)
	} else {
		err = q.post(cs, from, more, remote.memory(total), cookie)
	}
	if err != nil {
		return p.refused(err)
	}
	return 0
}

// noRemote stands for the address segment of a send.
var noRemote AddressSegment

// post is the native post of a descriptor.
func (q *workQueue) post(cs *ControlSegment, from mem.Slice, more []mem.Slice, remote mem.Remote, cookie uint64) (err error) {
	var flags rdma.Flags
	if cs.Control&ControlQfence != 0 {
		flags |= rdma.Fence
	}
	op := cs.Control & ControlOpMask
	if op == ControlOpRdmaread {
		return q.vi.ep.PostRead(rdma.Read{Into: from, More: more, From: remote, Cookie: cookie, Flags: flags})
	}
	if cs.Control&ControlImmediate != 0 {
		flags |= rdma.WithImmediate
	}
	if q.vi.confirms {
		flags |= rdma.NoCompletion
	}
	if op == ControlOpSendrecv {
		err = q.vi.ep.PostSend(rdma.Send{From: from, More: more, Cookie: cookie, Flags: flags, Immediate: cs.ImmediateData})
	} else {
		err = q.vi.ep.PostWrite(rdma.Write{From: from, More: more, To: remote, Cookie: cookie, Flags: flags, Immediate: cs.ImmediateData})
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
