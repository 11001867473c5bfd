package soft

import "github.com/godapl/godapl/internal/hca"

// after collects what must be done once no gate is held: consumers to notify,
// queue pairs to run, connections whose end is to be reported.
type after struct {
	cqs   [3]*cq
	extra []*cq // rare
	n     int
	run   *qp
	ended []*qp // rare
}

// wake notes that an entry with these flags has been committed to c.
func (f *after) wake(c *cq, flags hca.Flags) {
	if flags&hca.Quiet != 0 {
		return
	}
	for i := range f.n {
		if f.cqs[i] == c {
			return
		}
	}
	if f.n < len(f.cqs) {
		f.cqs[f.n] = c
		f.n++
	} else {
		f.extra = append(f.extra, c)
	}
}

// finish does it, if there is anything. The caller is inside no gate.
func (f *after) finish() {
	if f.n > 0 || f.run != nil || f.ended != nil {
		f.do()
	}
}

// do does it. The caller is inside no gate.
func (f *after) do() {
	for i := range f.n {
		f.cqs[i].wake()
	}
	for _, c := range f.extra {
		c.wake()
	}
	if f.run != nil {
		f.run.runTx()
	}
	for _, q := range f.ended {
		q.report()
	}
}

// reportNow is report without waiting for anybody.
func (q *qp) reportNow() {
	q.mu.Lock()
	kind, err, told := q.kind, q.cause, q.told
	q.mu.Unlock()
	if told {
		q.cfg.Event(hca.ConnEvent{Kind: kind, Err: err})
		if q.srq != nil {
			q.cfg.Event(hca.ConnEvent{Kind: hca.EventLastReceive, Err: err})
		}
	}
	close(q.finished)
}
