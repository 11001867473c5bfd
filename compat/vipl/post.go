package vipl

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// PostRecv posts a receive (VipPostRecv), in any state. The errors are those of [PostSend].
// Without a connection it waits for one; in the state Error it completes, flushed.
func PostRecv(viHandle VIHandle, descriptorPtr *Descriptor, memoryHandle MemHandle) Return {
	v := getVI(viHandle)
	if v == nil || descriptorPtr == nil {
		return InvalidParameter
	}
	q := &v.recv
	q.mu.Lock()
	ret := InvalidParameter
	if n, ok := q.holds(descriptorPtr, memoryHandle); ok {
		ret = q.postRecv(descriptorPtr, n)
	}
	q.mu.Unlock()
	return ret
}

// postRecv posts a receive that lies where it may. The caller holds mu.
func (q *workQueue) postRecv(d *Descriptor, segments uint16) Return {
	p := q.enter(d, StatusOpReceive, segments)
	if p == nil {
		return q.noPlace()
	}
	cs := &d.CS
	cs.Status = 0
	first, more, _, status := q.local(d.list(segments))
	switch {
	case cs.Control&^ControlQfence != ControlOpSendrecv || cs.Reserved != 0:
		status = StatusFormatError
	case status == 0 && !writable(first, more):
		status = StatusProtectionError
	}
	if status != 0 {
		q.finish(p, status)
		q.vi.fault()
		return Success
	}
	if q.vi.armed && !q.give(p, q.tail-1, first, more) {
		q.tail--
		return ErrorResource
	}
	return Success
}

// drain takes the native completions that are there.
func (q *workQueue) drain() {
	if q.cq != nil {
		q.cq.gather()
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := false
	for q.own.Poll(q.got[:]) > 0 {
		q.note(&q.got[0])
		taken = true
	}
	if taken && q.next() {
		q.nudge() // what was taken would have woken whoever waits
	}
}

// writable tells whether a message may go to the pieces, whose tag has been checked.
func writable(first mem.Slice, more []mem.Slice) bool {
	if first.Len() > 0 && !first.Allows(first.Region().ZoneID(), mem.LocalWrite) {
		return false
	}
	for _, s := range more {
		if !s.Allows(s.Region().ZoneID(), mem.LocalWrite) {
			return false
		}
	}
	return true
}

// give gives a receive to the adapter. It reports false if the adapter has no room. The
// caller holds mu.
func (q *workQueue) give(p *posted, place uint64, first mem.Slice, more []mem.Slice) bool {
	p.cookie = cookieOf(q.vi.attempt.Load(), place)
	p.given = true
	err := q.vi.ep.PostRecv(rdma.Recv{Into: first, More: more, Cookie: p.cookie})
	if err == nil {
		return true
	}
	p.given = false
	if codeOf(err) == rdma.ErrQueueFull {
		return false
	}
	status := refused(err)
	q.finish(p, status)
	if status != StatusDescFlushedError {
		q.vi.fault()
	}
	return true
}

// refused is the status of a descriptor that the adapter did not take.
func refused(err error) uint32 {
	switch codeOf(err) {
	case rdma.ErrPrivileges, rdma.ErrProtection, rdma.ErrClosed: // closed: the memory was just deregistered
		return StatusProtectionError
	case rdma.ErrState, rdma.ErrDisconnected, rdma.ErrBroken: // it is ending
		return StatusDescFlushedError
	case rdma.ErrLength:
		return StatusLengthError
	case rdma.ErrInvalid, rdma.ErrUnsupported:
		return StatusFormatError
	}
	return StatusTransportError
}
