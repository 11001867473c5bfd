package core

import "github.com/godapl/godapl/internal/hca"

// Deferred collects work for the time when no gate is held: consumers to wake, a queue pair to run, connections
// whose end is to be reported, queues whose coalesced requests are to be sent.
type Deferred struct {
	cqs   [3]*CQ // n of them are valid
	n     int32
	rare  bool // there is work in the fields below
	extra []*CQ
	run   *QP
	ended []*QP
	push  *QP // see QP.PushOthers
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
	if int(f.n) < len(f.cqs) {
		f.cqs[f.n] = c
		f.n++
	} else {
		f.extra, f.rare = append(f.extra, c), true
	}
}

// Run notes a queue pair that is to run its send half.
func (f *Deferred) Run(q *QP) { f.run, f.rare = q, true }

// None reports that there is no work.
func (f *Deferred) None() bool { return f.n == 0 && !f.rare }

// Few takes the work if it is, as usual, one consumer to wake or two. The caller wakes them outside of all gates. b is
// nil if there is only one, a too if Few takes nothing.
func (f *Deferred) Few() (a, b *CQ) {
	if f.rare || uint32(f.n-1) > 1 {
		return nil, nil
	}
	if f.n == 2 {
		b = f.cqs[1]
	}
	f.n = 0
	return f.cqs[0], b
}

// PutBack undoes Few, which has returned b.
func (f *Deferred) PutBack(b *CQ) {
	if f.n = 1; b != nil {
		f.n = 2
	}
}

// Take moves the work of another Deferred here.
func (f *Deferred) Take(from *Deferred) {
	for i := range from.n {
		f.wake(from.cqs[i], 0)
	}
	if from.run != nil {
		f.run = from.run
	}
	if from.push != nil {
		f.push = from.push
	}
	f.extra = append(f.extra, from.extra...)
	f.ended = append(f.ended, from.ended...)
	f.rare = f.rare || from.rare
	*from = Deferred{}
}

// Finish does the work, if there is any. The caller is inside no gate.
func (f *Deferred) Finish() {
	for i := range f.n {
		f.cqs[i].Wake()
	}
	if !f.rare {
		return
	}
	for _, c := range f.extra {
		c.Wake()
	}
	if f.run != nil {
		f.run.RunTx()
	}
	if f.push != nil {
		f.push.pushBoth()
	}
	for _, q := range f.ended {
		q.report()
	}
}
