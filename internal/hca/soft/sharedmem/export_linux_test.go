package sharedmem

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

// Hello makes a handshake message; the arguments are what it says of its side.
func Hello(kind uint8, service uint64, reads int, private []byte) []byte {
	h := neighbour.Hello{Kind: kind, Service: service, Private: private}
	h.Reads.In, h.Reads.Out = reads, reads
	return h.Append(nil)
}

// GroupedHello is Hello of a side that has the connection in a group, or at a board.
func GroupedHello(kind uint8, service uint64, slot uint32, board bool) []byte {
	h := neighbour.Hello{Kind: kind, Service: service, Group: 1, Slot: slot, Own: board}
	h.Reads.In, h.Reads.Out = 4, 4
	return h.Append(nil)
}

// Kinds of hellos, the smallest length of one, and the sizes of what it brings.
const (
	HelloRequest, HelloAccept, HelloReject, HelloRefuse, HelloReady = neighbour.HelloRequest, neighbour.HelloAccept, neighbour.HelloReject, neighbour.HelloRefuse, neighbour.HelloReady
	HelloFixed, DirectorySize                                       = neighbour.HelloFixed, keydir.Size
)

func ShmSize() int { return segmentSize }

// FileID is the identity of a file as two processes exchange it.
func FileID(fd int) [2]uint64 {
	id, _ := identify(fd)
	return [2]uint64{id.Device, id.Inode}
}

// SameInodes gives all files the same inode number, each on a device of its own, as files of different file
// systems may have.
func SameInodes() (undo func()) {
	identify = func(fd int) (peerfiles.ID, bool) { return peerfiles.ID{Device: uint64(fd), Inode: 1}, true }
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
	c.PumpSend()
	c.sweepAndLeave()
}

// Mapped reports whether a connection itself writes to memory under one of the peer's keys.
func Mapped(q hca.QP, key hca.Key) bool {
	p := q.(*core.QP)
	p.Tx.Lock()
	v := p.Transport().(*Conn).out.rkeys.at(key)
	mapped := v.key == uint64(key) && v.mem != nil && v.write
	p.LeaveTx()
	return mapped
}

// Unreleased is the number of the peer's requests that are handled and not released.
func Unreleased(q hca.QP) int {
	c := q.(*core.QP).Transport().(*Conn)
	for !c.rx.TryEnter() {
	}
	n := c.in.requests.unreleased()
	if c.rx.Leave() {
		c.finishRecv()
	}
	return n
}

// The largest numbers of requests that the peer handles without publishing it, and without waking this side.
const (
	UnackedMost  = unackedMost
	UnwokenMost  = unwokenMost
	PartsUnwoken = partsUnwoken
)

// PlainWriteReady reports whether the fast path of PostPlainWrite can write to the memory of a key: it is mapped.
func PlainWriteReady(q hca.QP, rkey hca.Key) bool {
	p := q.(*core.QP)
	p.Tx.Lock()
	v := p.Transport().(*Conn).out.rkeys.at(rkey)
	yes := v.key == uint64(rkey) && v.into != nil
	p.LeaveTx()
	p.RunTx()
	return yes
}

// InsideSends runs do while another goroutine is inside the gate of a queue pair's send half.
func InsideSends(q hca.QP, do func()) {
	p := q.(*core.QP)
	p.Tx.Lock()
	do()
	p.LeaveTx()
	p.RunTx()
}

// Seen reports whether a key of the peer is valid for an access that needs the right.
func Seen(q hca.QP, key hca.Key, need hca.Access) bool {
	p := q.(*core.QP)
	c := p.Transport().(*Conn)
	c.rx.Lock()
	p.Tx.Lock()
	seen := c.lookUp(&c.out.rkeys, key, need) != nil
	p.LeaveTx()
	c.finishRecv()
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
func StayInside(q hca.QP, key hca.Key) (leave func()) { return StayInsideBoth(q, key, key) }

// StayInsideBoth is StayInside with a key for each slot.
func StayInsideBoth(q hca.QP, keys ...hca.Key) (leave func()) {
	c := q.(*core.QP).Transport().(*Conn)
	set := func(keys ...hca.Key) func([]byte) {
		return func(shared []byte) {
			for half := range c.m.peerHazards {
				order64.PutUint64(shared[hazardsAt+(2*(c.m.side^1)+half)*lineSize:], uint64(keys[half]))
			}
		}
	}
	Scribble(q, set(keys...))
	return func() { Scribble(q, set(0, 0)) }
}

// AwaitRevocation returns when the end of a queue pair's connection waits for the peer alone.
func AwaitRevocation(q hca.QP) {
	for !q.(*core.QP).Transport().(*Conn).revoking.Load() {
		runtime.Gosched()
	}
}

// NoMoreMappings uses up the bound on mappings of peers' memory.
func NoMoreMappings() (undo func()) {
	most := int64(shm.MostMappings() / 8)
	peerfiles.HoldMore(most)
	return func() { peerfiles.HoldMore(-most) }
}

// HoldRx occupies the receive half of a queue pair's connection over shared memory. run handles what has arrived
// once, and reports whether there is more to do.
func HoldRx(q hca.QP) (run func() (more bool), release func()) {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	var deferred core.Deferred
	return func() bool { return c.pumpRx(&deferred) }, func() {
		for c.rx.Leave() {
		}
		deferred.Finish()
		c.Schedule()
	}
}

// ShmBytes is the number of bytes that one run over shared memory moves.
const ShmBytes = runBytes

// Runs counts the runs of the receive half of a queue pair's connection.
func Runs(q hca.QP) uint64 {
	return q.(*core.QP).Transport().(*Conn).rx.Word.Load()
}

// LoseSignals takes the doorbell of a queue pair's connection out of its poller, so that no goroutine notices it.
func LoseSignals(q hca.QP) bool {
	c := q.(*core.QP).Transport().(*Conn)
	c.sockMu.Lock()
	ok := c.unwatchDoorbell()
	c.sockMu.Unlock()
	if !ok {
		return false
	}
	for c.p.doorbells.Load() > 0 { // a goroutine of its own may still listen
		runtime.Gosched()
	}
	return true
}

// AwaitRing waits until the doorbell of a queue pair's connection has been rung since it was armed. It returns false if
// that need not happen any more: an entry of the queue shows that the connection was run.
func AwaitRing(q hca.QP, cq hca.CQ) bool {
	for q.(*core.QP).Transport().(*Conn).m.doorbell.Armed() {
		if cq.(hca.CQStatsReader).ReadStats(hca.NewPatience(false)).Waiting > 0 {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// RestsAfterPoll reports whether a connection rests after a consumer's poll that may have left acknowledgements to
// the next poll, and which the watch has interrupted.
func RestsAfterPoll(q hca.QP) bool {
	c := q.(*core.QP).Transport().(*Conn)
	c.Polled.Store(false)
	c.Watched.Store(true)
	c.rx.Lock()
	c.in.byConsumer = true
	c.finishRecv()
	return c.resting.Load()
}

// WatchedAfterPoll reports whether the watch has the connection after a poll, when its doorbell is armed, nobody hears
// it, and the watch has just let the connection go.
func WatchedAfterPoll(t testing.TB, q hca.QP) bool {
	c := q.(*core.QP).Transport().(*Conn)
	if !c.m.doorbell.Armed() || !c.bellUnwatched.Load() || c.parker.Load() != nil {
		t.Fatal("the doorbell is not as this needs it")
	}
	c.a.Background.Unwatch(c)
	c.Watched.Store(false)
	c.Poll(c.q.RecvCQ, nil)
	return c.Watched.Load()
}

// Unacked is the number of this side's latest requests whose acknowledgement the peer does not publish at once, and
// unwoken that of those whose acknowledgement does not wake this side.
func Unacked(q hca.QP) (unacked, unwoken int) {
	InsideSends(q, func() {
		o := &q.(*core.QP).Transport().(*Conn).out
		unacked, unwoken = o.unacked, o.unwoken
	})
	return unacked, unwoken
}

// The sizes of messages by how they travel: in a slot, and through the bulk area with and without an acknowledgement
// of their own.
const (
	SlotMost    = sendMost
	PartUnwoken = partUnwoken
)

// Listed reports whether the key directory of a queue pair's adapter has a key, and whether peers can use it.
func Listed(q hca.QP, key hca.Key) (listed, usable bool) {
	w := q.(*core.QP).Transport().(*Conn).p.current(key)
	return w != 0, w != 0 && !keydir.Changing(w)
}

// Suspend makes peers wait for a key of a queue pair's adapter. The returned function undoes that.
func Suspend(q hca.QP, key hca.Key) (resume func()) {
	p := q.(*core.QP).Transport().(*Conn).p
	b := p.directory.Load()
	b.Suspend(uint32(key))
	return func() {
		for _, place := range p.places(p.a.Keys.Get(key).MR) {
			b.Change(entryOf(place))
		}
	}
}

// SleepsFor tells how a sleeper of the connection is woken.
func SleepsFor(q hca.QP) shm.How { return q.(*core.QP).Transport().(*Conn).m.doorbell.ArmedFor() }

// HandleEach keeps others away from a connection's receive half while come is called, and then handles the frames that have
// come. It calls each behind each frame, with the numbers of frames handled so far and of those that the peer does not know of.
func HandleEach(q hca.QP, come func(), each func(handled, unreleased int)) {
	c := q.(*core.QP).Transport().(*Conn)
	for !c.rx.TryEnter() {
	}
	come()
	var deferred core.Deferred
	for n := 1; ; n++ {
		ok, err := c.in.requests.next()
		if err != nil {
			panic(err)
		}
		if !ok {
			break
		}
		if c.handle(&c.in.requests.f, &deferred) != core.Handled {
			panic("the frame is not handled")
		}
		unreleased := c.in.requests.unreleased()
		if c.in.requests.held { // else it is counted already
			unreleased++
		}
		c.in.requests.done()
		each(n, unreleased)
	}
	if c.rx.Leave() {
		c.finishRecv()
	}
	deferred.Finish()
}

// Look is what the adapter's poller does for a connection whose flag is raised.
func Look(q hca.QP) { q.(*core.QP).Transport().(*Conn).Arm() }

// RestsUnheard says that the connection rests, and that nobody hears its doorbell.
func RestsUnheard(q hca.QP) bool {
	c := q.(*core.QP).Transport().(*Conn)
	return c.resting.Load() && !c.reports()
}
