package sharedmem

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// Hello makes a handshake message; the arguments are what it says of its side.
func Hello(kind uint8, service uint64, reads int, private []byte) []byte {
	h := helloMessage{kind: kind, service: service, private: private}
	h.reads.in, h.reads.out = reads, reads
	return h.append(nil)
}

// Kinds of hellos, the smallest length of one, and the sizes of what it brings.
const (
	HelloRequest, HelloAccept, HelloReject, HelloRefuse, HelloReady = helloRequest, helloAccept, helloReject, helloRefuse, helloReady
	HelloFixed, BoardSize                                           = helloFixed, directorySize
)

func ShmSize() int { return segmentSize }

// FileID is the identity of a file as two processes exchange it.
func FileID(fd int) [2]uint64 {
	id, _ := identify(fd)
	return [2]uint64{id.device, id.inode}
}

// SameInodes gives all files the same inode number, each on a device of its own, as files of different file
// systems may have.
func SameInodes() (undo func()) {
	identify = func(fd int) (fileID, bool) { return fileID{uint64(fd), 1}, true }
	return func() { identify = sysIdentify }
}

// SweepAround sweeps the mappings of a queue pair's connection. f is called when the sweep is inside the gates;
// requests posted until then are handled before.
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

// Mapped reports whether a connection itself writes to memory under one of the peer's keys.
func Mapped(q hca.QP, key hca.Key) bool {
	p := q.(*core.QP)
	p.Tx.Lock()
	v := p.Transport().(*Conn).out.views.at(key)
	mapped := v.key == uint64(key) && v.mem != nil && v.write
	p.LetGo()
	return mapped
}

// Untold is the number of the peer's requests that are handled and not released.
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

// SilentMost is the largest such number.
const SilentMost = unackedMost

// WritesWords reports whether a queue pair has used the fast path of PostPlainWrite.
func WritesWords(q hca.QP) bool { return q.(*core.QP).Transport().(*Conn).ahead.Load() != 0 }

// InsideSends runs do while another goroutine is inside the gate of a queue pair's send half.
func InsideSends(q hca.QP, do func()) {
	p := q.(*core.QP)
	p.Tx.Lock()
	do()
	p.LetGo()
	p.RunTx()
}

// Seen reports whether a key of the peer is valid for an access that needs the right.
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

// StuckTime replaces how long a peer may stay inside memory that it must leave. The returned function undoes
// that.
func StuckTime(d time.Duration) (undo func()) {
	former := stuckTime
	stuckTime = d
	return func() { stuckTime = former }
}

// StayInside makes both hazard slots of the peer name a key. The returned function undoes that.
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

// NoMoreMappings uses up the bound on mappings of peers' memory.
func NoMoreMappings() (undo func()) {
	most := int64(shm.MostMappings() / 8)
	peerMaps.Add(most)
	return func() { peerMaps.Add(-most) }
}

// HoldRx occupies the receive half of a queue pair's connection over shared memory. turn runs it once, and
// reports whether there is more to do.
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

// ShmBytes is the number of bytes that one run over shared memory moves.
const ShmBytes = turnBytes
