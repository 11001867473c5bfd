package core

import "github.com/godapl/godapl/internal/hca"

// Deferred collects work for the time when no gate is held: consumers to wake, a queue pair to run, connections
// whose end is to be reported, queues whose coalesced requests are to be sent.
type Deferred struct {
	cqs   [3]*CQ
	extra []*CQ // rare
	n     int
	Run   *QP
	ended []*QP // rare
	push  *QP   // see QP.PushOthers
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
	if !f.None() {
		f.do()
	}
}

// None reports that there is no work.
func (f *Deferred) None() bool { return f.n == 0 && f.Run == nil && f.ended == nil && f.push == nil }

// Take moves the work of another Deferred here.
func (f *Deferred) Take(from *Deferred) {
	if from.None() {
		return
	}
	for i := range from.n {
		f.wake(from.cqs[i], 0)
		from.cqs[i] = nil
	}
	from.n = 0
	if from.Run != nil {
		f.Run, from.Run = from.Run, nil
	}
	if from.push != nil {
		f.push, from.push = from.push, nil
	}
	if from.extra != nil {
		f.extra, from.extra = append(f.extra, from.extra...), nil
	}
	if from.ended != nil {
		f.ended, from.ended = append(f.ended, from.ended...), nil
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
	if f.push != nil {
		f.push.pushBoth()
	}
	for _, q := range f.ended {
		q.report()
	}
}
