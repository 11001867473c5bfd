package stream

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/iwarp"
)

// A readFault records which read or atomic in progress has broken the connection, and with which status. The
// receive half stores it; the send half completes that request.
type readFault struct{ word atomic.Uint64 }

func (f *readFault) set(msn iwarp.MSN, status hca.Status) {
	f.word.Store(uint64(msn)<<8 | uint64(status))
}

// clear is for a fault of a connection that something else has ended: that has its cause, and the request is flushed.
func (f *readFault) clear() { f.word.Store(0) }

// get returns StatusOK if there is no fault.
func (f *readFault) get() (iwarp.MSN, hca.Status) {
	w := f.word.Load()
	return iwarp.MSN(w >> 8), hca.Status(w)
}

// failTerminated finds the read or atomic that the peer's Terminate refers to, and fails it with the status that a
// peer over shared memory would report. All other unanswered requests are flushed. If no request matches, all are
// flushed: a Terminate without a header, or with the header of something else, may refer to anything. The caller
// is inside rx.
func (c *Conn) failTerminated(t *iwarp.Terminate) {
	op, msn, ok := t.About()
	if !ok {
		return
	}
	is := func(p *pending) bool {
		return p.msn == msn && (p.op == hca.OpRead) == (op == iwarp.OpReadRequest) && p.goesTo(t.ReadRequest)
	}
	in, m := &c.in, &c.shared
	m.mu.Lock()
	defer m.mu.Unlock()
	if in.reading && is(&in.read) || slices.IndexFunc(m.reads, func(p pending) bool { return is(&p) }) >= 0 {
		c.fault.set(msn, refusalStatus(t.Cause))
	}
}

// faulty completes the request that the receive half has found at fault, if it is still unanswered: requests
// are numbered and answered in order. It is called inside tx.
func (c *Conn) faulty() {
	q, o := c.q, &c.out
	fault, status := c.fault.get()
	if status == hca.StatusOK {
		return
	}
	msn := o.request - iwarp.MSN(o.out) + iwarp.MSN(o.skip) // of the oldest
	for i := q.SQ.Head; i != q.SQ.Next; i++ {
		r := q.SQ.At(i)
		if !r.Begun || r.Done || !ops.HasResponse(r.WR.Op) {
			continue
		}
		if msn == fault {
			r.Done, r.Status = true, status
			return
		}
		msn++
	}
}

// goesTo compares the sink of a read with the body of a Read Request, if there is one.
func (p *pending) goesTo(request []byte) bool {
	return p.op != hca.OpRead || len(request) < 4 || iwarp.STag(binary.BigEndian.Uint32(request)) == p.stag
}

// refusalStatus is the status of the request to which a Terminate refers: a remote access error only if its cause is the
// key or what it covers, and not the number of requests, an alignment or an operation that the peer lacks.
func refusalStatus(cause iwarp.Cause) hca.Status {
	switch iwarp.MakeCause(cause.Layer(), cause.EType(), 0) {
	case iwarp.CauseProtSTag, iwarp.CauseTaggedSTag:
		return hca.StatusRemoteAccess
	}
	return hca.StatusRemoteInvalid
}

// requestOf rebuilds the peer's Read Request that a response answers.
func requestOf(r *response) []byte {
	fpdu := iwarp.AppendReadRequest(nil, r.request, iwarp.ReadRequest{
		SinkSTag: r.sink, SinkTO: r.sinkTO, Size: uint32(r.size), SourceSTag: iwarp.STag(r.source), SourceTO: iwarp.TO(r.from),
	}, false)
	return fpdu[iwarp.LengthSize:][:iwarp.UntaggedHeaderSize+iwarp.ReadRequestSize]
}
