package soft

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// Hello is what a side of a connection that begins says, and is allowed.
func Hello(kind uint8, service uint64, reads int, private []byte) []byte {
	h := shmHello{kind: kind, service: service, private: private}
	h.reads.in, h.reads.out = reads, reads
	return h.append(nil)
}

// Kinds of hellos, the least that one has, and the sizes of what comes with one.
const (
	HelloRequest, HelloAccept, HelloReject, HelloRefuse, HelloReady = helloRequest, helloAccept, helloReject, helloRefuse, helloReady
	HelloFixed, BoardSize                                           = helloFixed, boardSize
)

func ShmSize() int { return shmSize }

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
	p := q.(*qp)
	c := p.transport().(*shmConn)
	c.rx.lock()
	p.tx.lock()
	f()
	var af after
	c.pump(&af)
	c.sweepOn()
	af.finish()
}

// Mapped tells whether a connection writes by itself what goes to a key of the peer's.
func Mapped(q hca.QP, key hca.Key) bool {
	p := q.(*qp)
	p.tx.lock()
	v := p.transport().(*shmConn).out.views.at(key)
	mapped := v.key == uint64(key) && v.mem != nil && v.write
	p.leave()
	return mapped
}

// Untold is how many of the peer's requests have been handled without its knowing.
func Untold(q hca.QP) int {
	c := q.(*qp).transport().(*shmConn)
	for !c.rx.tryEnter() {
	}
	n := c.in.requests.untold()
	if c.rx.leave() {
		c.readOn()
	}
	return n
}

// SilentMost is how many these are at most.
const SilentMost = silentMost

// WritesWords tells whether a queue pair has written a word the short way.
func WritesWords(q hca.QP) bool { return q.(*qp).transport().(*shmConn).ahead.Load() != 0 }

// InsideSends has do run while somebody is inside the gate of a queue pair's send side.
func InsideSends(q hca.QP, do func()) {
	p := q.(*qp)
	p.tx.lock()
	do()
	p.leave()
	p.runTx()
}

// Seen tells whether a key of the peer's is one to an access that needs the right.
func Seen(q hca.QP, key hca.Key, need hca.Access) bool {
	p := q.(*qp)
	c := p.transport().(*shmConn)
	c.rx.lock()
	p.tx.lock()
	seen := c.look(&c.out.views, key, need) != nil
	p.leave()
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
	c := q.(*qp).transport().(*shmConn)
	set := func(v uint64) func([]byte) {
		return func(shared []byte) {
			for half := range c.m.visits {
				order64.PutUint64(shared[shmVisits+(2*(c.m.side^1)+half)*shmLine:], v)
			}
		}
	}
	Scribble(q, set(uint64(key)))
	return func() { Scribble(q, set(0)) }
}

// AwaitExpel returns when the end of a queue pair's connection waits for the peer alone.
func AwaitExpel(q hca.QP) {
	for !q.(*qp).transport().(*shmConn).expelling.Load() {
		runtime.Gosched()
	}
}

// Guard makes an access and gives the address of the fault in it; 0 if there was none.
func Guard(access func()) uint64 { return guard(access) }

// NoMoreMappings has the peers' memory be mapped as often as it may be.
func NoMoreMappings() (undo func()) {
	most := int64(shm.MostMappings() / 8)
	peerMaps.Add(most)
	return func() { peerMaps.Add(-most) }
}

// HoldRx keeps the receiving half of a queue pair's connection over shared memory. turn
// has it take a turn, and reports whether there is more to do.
func HoldRx(q hca.QP) (turn func() (more bool), release func()) {
	c := q.(*qp).transport().(*shmConn)
	c.rx.lock()
	var af after
	return func() bool { return c.pumpRx(&af) }, func() {
		for c.rx.leave() {
		}
		af.finish()
		c.schedule()
	}
}

// ShmBytes is how many bytes a turn over shared memory moves.
const ShmBytes = shmBytes

// Entrants is how many descriptors of an adapter the kernel watches.
func Entrants(t testing.TB, a hca.Adapter) int {
	t.Helper()
	zone, err := a.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	defer zone.Close()
	fd := zone.(*pd).a.bg.poller.descriptor()
	if fd < 0 {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(b), "tfd:")
}
