package soft

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// Entrants is how many descriptors of an adapter the kernel watches.
func Entrants(t testing.TB, a hca.Adapter) int {
	t.Helper()
	p := &a.(*adapter).net.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", p.fd))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(b), "tfd:")
}

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
func FileID(fd int) uint64 {
	id, _ := fileID(fd)
	return id
}

// SweepAround sweeps up what a queue pair's connection has mapped. f is called when the
// sweep has its turn, and what has been posted by then gets one of its own before.
func SweepAround(q hca.QP, f func()) {
	p := q.(*qp)
	c := p.shm.Load()
	c.rx.lock()
	p.tx.lock()
	f()
	var af after
	p.pump(&af)
	c.sweepOn()
	af.do()
}

// Mapped tells whether a connection writes by itself what goes to a key of the peer's.
func Mapped(q hca.QP, key hca.Key) bool {
	p := q.(*qp)
	p.tx.lock()
	v := p.shm.Load().out.views.at(key)
	mapped := v.key == uint64(key) && v.mem != nil && v.write
	p.leave(&after{})
	return mapped
}

// Untold is how many of the peer's requests have been handled without its knowing.
func Untold(q hca.QP) int {
	c := q.(*qp).shm.Load()
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
func WritesWords(q hca.QP) bool { return q.(*qp).shm.Load().ahead.Load() != 0 }

// InsideSends has do run while somebody is inside the gate of a queue pair's send side.
func InsideSends(q hca.QP, do func()) {
	p := q.(*qp)
	p.tx.lock()
	do()
	var af after
	p.pump(&af)
	p.leave(&af)
}
