package core

import "github.com/godapl/godapl/internal/hca"

// Deferred collects work for the time when no gate is held: consumers to wake, a queue pair to run, connections
// whose end is to be reported.
type Deferred struct {
	cqs   [3]*CQ
	extra []*CQ // rare
	n     int
	Run   *QP
	ended []*QP // rare
}

// wake notes that an entry with these flags has been committed to c.
func (f *Deferred) wake(c *CQ, flags hca.Flags) {
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

// Finish does the work, if there is any. The caller is inside no gate.
func (f *Deferred) Finish() {
	if f.n > 0 || f.Run != nil || f.ended != nil {
		f.do()
	}
}

// do does the work. The caller is inside no gate.
func (f *Deferred) do() {
	for i := range f.n {
		f.cqs[i].wake()
	}
	for _, c := range f.extra {
		c.wake()
	}
	if f.Run != nil {
		f.Run.RunTx()
	}
	for _, q := range f.ended {
		q.report()
	}
}

// reportNow is report without a wait.
func (q *QP) reportNow() {
	q.Mu.Lock()
	kind, err, told := q.Kind, q.cause, q.told
	q.Mu.Unlock()
	if told {
		q.Config.Event(hca.ConnEvent{Kind: kind, Err: err})
		if q.SRQ != nil {
			q.Config.Event(hca.ConnEvent{Kind: hca.EventLastReceive, Err: err})
		}
	}
	close(q.Finished)
}
