package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

func (q *QP) PostRecv(wr hca.RecvWR) error {
	if err := checkRecv(&wr, q.recvSGE); err != nil {
		return err
	}
	if q.SRQ != nil {
		return hca.NewError(hca.State, "post receive", "", "the endpoint takes its receives from a shared queue: post there")
	}
	if q.Gone.Load() {
		return errPostClosed
	}
	r := q.RQ
	r.Mu.Lock()
	if !r.Count() {
		r.Mu.Unlock()
		return errRecvFull
	}
	if q.rqDead && !q.RecvCQ.settled.Load() {
		r.Uncount()
		r.Mu.Unlock()
		q.RecvCQ.share() // so far, only a goroutine inside the gate has filled the queue
		return q.PostRecv(wr)
	}
	if q.rqDead {
		var deferred Deferred
		q.Received(&receives.Receive{ID: wr.ID, Flags: wr.Flags, Back: &r.Back}, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, &deferred)
		r.Mu.UnlockFenced() // no gate is left here, so the barrier is needed
		deferred.Finish()
		return nil
	}
	r.Put(&wr)
	r.Mu.Unlock()
	if r.Missing.Load() && r.Missing.Swap(false) {
		q.recvPosted()
	}
	return nil
}

func (q *QP) PostRecvs(wrs []hca.RecvWR) (int, error) {
	for i := range wrs {
		if err := q.PostRecv(wrs[i]); err != nil {
			return i, err
		}
	}
	return len(wrs), nil
}

// recvPosted continues what waits for a receive of this queue pair. The caller is inside no gate and holds no
// lock.
func (q *QP) recvPosted() {
	if t := q.Transport(); t != nil {
		t.ReceivePosted()
	}
}
