package sharedmem

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// Hello is what a side of a connection that begins says, and is allowed.
func Hello(kind uint8, service uint64, reads int, private []byte) []byte {
	h := helloMessage{kind: kind, service: service, private: private}
	h.reads.in, h.reads.out = reads, reads
	return h.append(nil)
}

// Kinds of hellos, the least that one has, and the sizes of what comes with one.
const (
	HelloRequest, HelloAccept, HelloReject, HelloRefuse, HelloReady = helloRequest, helloAccept, helloReject, helloRefuse, helloReady
	HelloFixed, BoardSize                                           = helloFixed, directorySize
)

func ShmSize() int { return segmentSize }

// FileID is what stands for a file among two processes.
func FileID(fd int) [2]uint64 {
	id, _ := identify(fd)
	return [2]uint64{id.device, id.inode}
}

// SameInodes has all files be of one number, each on a device of its own, as files of
// different file systems may be.
func SameInodes() (undo func()) {
	identify = func(fd int) (fileID, bool) { return fileID{uint64(fd), 1}, true }
	return func() { identify = sysIdentify }
}

// SweepAround sweeps up what a queue pair's connection has mapped. f is called when the
// sweep has its turn, and what has been posted by then gets one of its own before.
func SweepAround(q hca.QP, f func()) {
	p := q.(*core.QP)
	c := p.Transport().(*Conn)
	c.rx.Lock()
	p.Tx.Lock()
	f()
	var af core.Deferred
	c.pump(&af)
	c.sweepOn()
	af.Finish()
}

// Mapped tells whether a connection writes by itself what goes to a key of the peer's.
func Mapped(q hca.QP, key hca.Key) bool {
	p := q.(*core.QP)
	p.Tx.Lock()
	v := p.Transport().(*Conn).out.views.at(key)
	mapped := v.key == uint64(key) && v.mem != nil && v.write
	p.LetGo()
	return mapped
}

// Untold is how many of the peer's requests have been handled without its knowing.
func Untold(q hca.QP) int {
	c := q.(*core.QP).Transport().(*Conn)
	for !c.rx.TryEnter() {
	}
	n := c.in.requests.unreleased()
	if c.rx.Leave() {
		c.readOn()
	}
	return n
}

// SilentMost is how many these are at most.
const SilentMost = unackedMost

// WritesWords tells whether a queue pair has written a word the short way.
func WritesWords(q hca.QP) bool { return q.(*core.QP).Transport().(*Conn).ahead.Load() != 0 }

// InsideSends has do run while somebody is inside the gate of a queue pair's send side.
func InsideSends(q hca.QP, do func()) {
	p := q.(*core.QP)
	p.Tx.Lock()
	do()
	p.LetGo()
	p.RunTx()
}

// Seen tells whether a key of the peer's is one to an access that needs the right.
func Seen(q hca.QP, key hca.Key, need hca.Access) bool {
	p := q.(*core.QP)
	c := p.Transport().(*Conn)
	c.rx.Lock()
	p.Tx.Lock()
	seen := c.lookUp(&c.out.views, key, need) != nil
	p.LetGo()
	c.readOn()
	return seen
}

// StuckTime replaces how long a peer may stay inside memory that it is to leave, until what
// it returns is called.
func StuckTime(d time.Duration) (undo func()) {
	former := stuckTime
	stuckTime = d
	return func() { stuckTime = former }
}

// StayInside makes it look as if the peer's two halves were inside the memory of a key, until
// what it returns is called.
func StayInside(q hca.QP, key hca.Key) (leave func()) {
	c := q.(*core.QP).Transport().(*Conn)
	set := func(v uint64) func([]byte) {
		return func(shared []byte) {
			for half := range c.m.peerHazards {
				order64.PutUint64(shared[hazardsAt+(2*(c.m.side^1)+half)*lineSize:], v)
			}
		}
	}
	Scribble(q, set(uint64(key)))
	return func() { Scribble(q, set(0)) }
}

// AwaitExpel returns when the end of a queue pair's connection waits for the peer alone.
func AwaitExpel(q hca.QP) {
	for !q.(*core.QP).Transport().(*Conn).expelling.Load() {
		runtime.Gosched()
	}
}

// NoMoreMappings has the peers' memory be mapped as often as it may be.
func NoMoreMappings() (undo func()) {
	most := int64(shm.MostMappings() / 8)
	peerMaps.Add(most)
	return func() { peerMaps.Add(-most) }
}

// HoldRx keeps the receiving half of a queue pair's connection over shared memory. turn
// has it take a turn, and reports whether there is more to do.
func HoldRx(q hca.QP) (turn func() (more bool), release func()) {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	var af core.Deferred
	return func() bool { return c.pumpRx(&af) }, func() {
		for c.rx.Leave() {
		}
		af.Finish()
		c.Schedule()
	}
}

// ShmBytes is how many bytes a turn over shared memory moves.
const ShmBytes = turnBytes
