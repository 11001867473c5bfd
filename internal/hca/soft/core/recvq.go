package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// MaxSGE bounds the segments of a request or a receive.
const MaxSGE = 16

// RxMarks bounds how many marks a receive half handles in one run, before other connections run.
const RxMarks = 16

// NextReceive takes the oldest receive for this queue pair's connection. If there is none, recvPosted is
// called when one is posted.
func (q *QP) NextReceive(dst *receives.Receive) bool {
	if q.SRQ != nil {
		return q.SRQ.takeFor(dst, q)
	}
	if q.RQ.Take(dst) {
		return true
	}
	// Ask to be called, then try again: a receive may have been posted in between.
	q.RQ.Missing.Store(true)
	return q.RQ.TakeBehind(dst)
}

func checkRecv(wr *hca.RecvWR, maxSGE int) error {
	if 1+len(wr.More) > max(maxSGE, 1) {
		return hca.NewError(hca.Invalid, "post receive", "", fmt.Sprintf("%d segments, but at most %d are possible", 1+len(wr.More), max(maxSGE, 1)))
	}
	if wr.Flags&^(hca.Quiet|hca.Private) != 0 {
		return hca.NewError(hca.Invalid, "post receive", "", "a receive takes no flags but unsignalled")
	}
	return nil
}

var errRecvFull = hca.NewError(hca.QueueFull, "post receive", "", "as many receives as the queue is deep are posted or have completions that were not taken: take completions first, or make it deeper (RecvDepth)")

// ReceiveAt returns the part of a receive's memory at offset off, at most n bytes. frail is as in LocalMem.
func ReceiveAt(rc *receives.Receive, q *QP, pd *PD, off, n uint64) (b []byte, frail bool, f fault) {
	return SegmentAt(q, pd, rc.Local, rc.More, off, n, hca.LocalWrite)
}
