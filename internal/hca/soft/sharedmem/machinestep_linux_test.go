package sharedmem

import (
	"encoding/binary"
	"os"
	"strconv"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/internal/shm"
)

// poll takes completions, and goes to sleep when there are none and the program has nothing else to do.
func (e *process) poll() {
	if e.take() > 0 || len(e.again) > 0 || e.left > 0 && len(e.under) == 0 || e.m.draw.IntN(2) == 0 {
		return
	}
	e.told = false
	e.m.must(e.cq.Arm())
	e.asleep = e.take() == 0 // what came before it was armed
}

func (e *process) take() int {
	var wcs [3]hca.WC
	n := e.cq.Poll(wcs[:1+e.m.draw.IntN(len(wcs))])
	for _, wc := range wcs[:n] {
		e.m.note(e, "takes %v %d: %v, %d bytes", wc.Op, wc.ID&^(1<<63), wc.Status, wc.Len)
		if wc.Op >= hca.OpRecv {
			e.received(wc)
		} else {
			e.done(wc)
		}
	}
	return n
}

// done compares a completion of a request with the oldest one under way.
func (e *process) done(wc hca.WC) {
	if len(e.under) == 0 || e.under[0].id != wc.ID || e.under[0].op != wc.Op {
		e.m.t.Fatalf("%s: a completion of %v %d, and under way are %v, after\n%s", e.name, wc.Op, wc.ID, e.under, e.m.history())
	}
	r := e.under[0]
	e.under = e.under[1:]
	if wc.Status != hca.StatusOK {
		if e.q.State.Load() != core.StateOver {
			e.m.t.Fatalf("%s: %v failed with %v, and the connection goes on, after\n%s", e.name, wc.Op, wc.Status, e.m.history())
		}
		return
	}
	switch {
	case r.op == hca.OpFetchAdd:
		if got := binary.NativeEndian.Uint64(e.mem[machineCounts+8*int(r.id):]); got != e.count {
			e.m.t.Fatalf("%s: atomic %d has counted from %d, after\n%s", e.name, e.count, got, e.m.history())
		}
		e.count++
	case r.op == hca.OpRead && len(e.under) == 0: // no later one has written there
		for i, b := range e.mem[machineInto:][:r.len] {
			if b != machineByte(machineConstant+i) {
				e.m.t.Fatalf("%s: byte %d of a read of %d is another, after\n%s", e.name, i, r.len, e.m.history())
			}
		}
	}
}

// received compares a message with what the peer has sent, and posts the receive again.
func (e *process) received(wc hca.WC) {
	e.recvs--
	if wc.Status != hca.StatusOK {
		return
	}
	sent := &e.peer.sent
	if len(*sent) == 0 {
		e.m.t.Fatalf("%s: a message that nobody sent, after\n%s", e.name, e.m.history())
	}
	x := (*sent)[0]
	*sent = (*sent)[1:]
	if wrong := int(wc.Len) != x.n || (wc.Op == hca.OpRecvWriteImm) != (x.op == hca.OpWriteImm); wrong {
		e.m.t.Fatalf("%s: %v of %d bytes, and the peer sent %+v, after\n%s", e.name, wc.Op, wc.Len, x, e.m.history())
	}
	at := machineReceives + int(wc.ID&^(1<<63))*machineRecv
	for i := range x.n {
		if x.op == hca.OpSend && e.mem[at+i] != machineByte(machineOut+x.off+i) {
			e.m.t.Fatalf("%s: byte %d of a message of %d is another, after\n%s", e.name, i, x.n, e.m.history())
		}
	}
	e.again = append(e.again, wc.ID&^(1<<63))
}

// steps are what the process can do now.
func (e *process) steps() (all []func()) {
	if e.killed {
		return nil
	}
	if e.asleep && e.told {
		e.asleep = false
	}
	if !e.asleep {
		all = append(all, e.poll)
		if e.left > 0 && !e.over && len(e.under) < machineSends {
			all = append(all, e.post)
		}
		if len(e.again) > 0 {
			all = append(all, e.receiveAgain)
		}
	}
	if e.a.Engine.Busy() {
		all = append(all, func() { e.a.Engine.Step() })
	}
	if e.c.ending.Load() { // nothing comes any more
		return all
	}
	if readable(e.c.own) {
		all = append(all, func() {
			shm.Drain(e.c.own)
			e.m.note(e, "is rung")
			(&doorbellHandler{e.c}).Event(0)
		})
	}
	if !e.c.hungUp.Load() && readable(e.c.sock) {
		all = append(all, func() {
			(&sockHandler{e.c}).Event(socketEvents(e.peer.killed))
		})
	}
	return all
}

func (e *process) receiveAgain() {
	e.serial = e.again[0]
	e.again = e.again[1:]
	e.m.note(e, "posts receive %d", e.serial)
	if err := e.receive(); err != nil && !e.over {
		e.m.must(err)
	}
}

// finished reports whether the program has nothing more to do.
func (e *process) finished() bool {
	return e.killed || e.left == 0 && len(e.under) == 0 && len(e.peer.sent) == 0
}

// run takes steps until both programs have finished, or nothing more can happen.
func (m *machine) run() {
	ended := false
	until := m.draw.IntN(400) // an end in the middle
	for n := 0; ; n++ {
		if n == 1<<20 {
			m.t.Fatalf("it goes on for ever, after\n%s", m.history())
		}
		if a, b := m.ends[0], m.ends[1]; a.over && b.over || a.over && b.killed || a.killed && b.over {
			return
		}
		if !ended && (m.ends[0].finished() && m.ends[1].finished() || m.end > 1 && n >= until) {
			ended = true
			m.finish()
			m.settle()
		}
		all := append(m.ends[0].steps(), m.ends[1].steps()...)
		if len(all) == 0 {
			m.t.Fatalf("nothing more happens, after\n%s\na: %v, b: %v", m.history(), m.ends[0].under, m.ends[1].under)
		}
		all[m.draw.IntN(len(all))]()
		m.settle()
	}
}

// settle waits until connections that have ended are taken down, by a goroutine of their own that waits for nobody else.
func (m *machine) settle() {
	for _, e := range m.ends {
		if e.c.ending.Load() {
			<-e.c.tornDown
		}
	}
}

// finish ends the connection in order when all is done (0, 1), at once in the middle (2), or by the end of a process (3).
func (m *machine) finish() {
	e := m.ends[m.draw.IntN(2)]
	switch m.end {
	case 3:
		m.note(e, "is killed")
		e.killed = true
		hangUp(e.c.sock)
	case 2:
		m.note(e, "is aborted")
		m.must(e.q.Disconnect(false))
	default:
		m.note(e, "shuts down")
		m.must(e.q.Disconnect(true))
	}
}

// check is for what must hold at the end.
func (m *machine) check() {
	for _, e := range m.ends {
		if e.killed {
			continue
		}
		if m.end < 2 {
			if !e.orderly || len(e.under) > 0 || len(e.sent) > 0 {
				m.t.Errorf("%s: in order: %v, requests: %v, messages: %v, after\n%s", e.name, e.orderly, e.under, e.sent, m.history())
			}
			if n := binary.NativeEndian.Uint64(e.mem[machineTarget:]); n != e.peer.count {
				m.t.Errorf("%s: it was counted to %d, and %d times", e.name, n, e.peer.count)
			}
			continue
		}
		for wcs := make([]hca.WC, 1); e.cq.Poll(wcs) > 0; { // all is flushed
			if wcs[0].Op < hca.OpRecv {
				e.done(wcs[0])
			}
		}
		if len(e.under) > 0 {
			m.t.Errorf("%s: never completed: %v, after\n%s", e.name, e.under, m.history())
		}
	}
}

func (m *machine) close() {
	for _, e := range m.ends {
		if e.killed {
			_ = e.q.Disconnect(false)
		}
	}
	for _, e := range m.ends {
		for e.a.Engine.Step() {
		}
		<-e.c.tornDown
		e.a.Shutdown(e.path.Close)
	}
}

// TestRandomMachines runs programs of two processes with a connection over shared memory, one for each seed, in which the
// seed draws every step. Each request completes once and in order, each message arrives as it was sent, and nobody waits
// for what does not come.
//
//	GODAPL_WORLD_SEEDS=100000 go test -run TestRandomMachines ./internal/hca/soft/sharedmem
func TestRandomMachines(t *testing.T) {
	n, first := 400, 1
	if race.Enabled {
		n = 60
	}
	if s, err := strconv.Atoi(os.Getenv("GODAPL_WORLD_SEED")); err == nil {
		first, n = s, 1
	}
	if s, err := strconv.Atoi(os.Getenv("GODAPL_WORLD_SEEDS")); err == nil {
		n = s
	}
	for seed := first; seed < first+n && !t.Failed(); seed++ {
		func() {
			m := newMachine(t, uint64(seed))
			defer func() {
				if t.Failed() {
					t.Logf("this was seed %d, an end of kind %d", seed, m.end)
				}
			}()
			m.run()
			m.check()
			m.close()
		}()
	}
}
