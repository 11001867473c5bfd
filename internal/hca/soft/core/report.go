package core

import "github.com/godapl/godapl/internal/hca"

// report tells the owner that the connection has ended, once the pending accepts have been reported. All its entries are
// in the completion queues. An attempt that has failed waits for nothing: others that fail would wait for it, too.
func (q *QP) report() {
	q.StateMu.Lock()
	failed := !q.reported
	q.StateMu.Unlock()
	if !failed {
		if due := q.Adapter.Accepts.Due(q); len(due) > 0 {
			go hca.Labeled(q.Adapter.Attrs.Name, "report", func() { // Close of the queue pair waits for the report
				q.Adapter.Accepts.Wait(due)
				q.reportNow()
			})()
			return
		}
	}
	q.reportNow()
}

// reportNow is report without a wait.
func (q *QP) reportNow() {
	q.StateMu.Lock()
	kind, err, reported := q.Kind, q.cause, q.reported
	q.StateMu.Unlock()
	if reported {
		q.Config.Event(hca.ConnEvent{Kind: kind, Err: err})
		if q.SRQ != nil {
			q.Config.Event(hca.ConnEvent{Kind: hca.EventLastReceive, Err: err})
		}
	}
	close(q.Finished)
}
