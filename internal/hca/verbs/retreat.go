package verbs

// retreat undoes an attempt to connect that has failed, so that another one can be made. The
// receives that were posted stay.
func (q *qp) retreat() {
	q.mu.Lock()
	id, made := q.id, q.h != 0
	q.unmake()
	q.recv.given.Store(0) // before a connection none is done
	if shut(q.called) {
		q.called = make(chan struct{}) // finish reads it when the connection is established
	}
	q.mu.Unlock()
	if made {
		// Nothing of the queue pair that is gone may be taken for the next one's: neither what the
		// device has flushed nor that it takes no shared receives any more.
		q.rcq.mu.Lock()
		q.rcq.pull()
		if q.srq == nil {
			q.recv.held = nil
		}
		q.rcq.finish()
		q.ad.dev.drain()
		q.lastTaken.Store(false)
		q.forget()
	}
	id.close()
}
