package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// probe posts a write of no bytes if no completion would ever report some of the
// requests. The completion of the write reports them.
func (q *qp) probe() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.probeNow()
}

// probeNow is probe for a caller that holds mu. It follows each post, too: the request on
// which the posted ones relied for their report may have completed before the device had
// them, and then nothing else would come.
func (q *qp) probeNow() {
	if !q.send.unreported() || q.state != connected && q.state != draining || q.send.internal.Load() > 0 || len(q.backlog) > 0 {
		return
	}
	q.postProbe()
}

// postProbe posts a write of no bytes. It touches no memory of the peer, so it needs
// no key. Called with mu held.
func (q *qp) postProbe() {
	seq := q.send.given.Load()
	q.send.add(seq, sendRec{op: hca.OpWrite, internal: true})
	q.args.wrs.S[0] = ibv.SendWR{ID: uint64(q.sendID(seq)), Opcode: ibv.WRRDMAWrite, Flags: ibv.SendSignaled}
	q.chain(1)
}
