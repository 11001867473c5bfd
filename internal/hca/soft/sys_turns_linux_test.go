package soft

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/shm"
)

// TestBulkEndsATurnOnThePoller: bytes that come as fast as they are looked for do not keep
// the goroutine that all connections share.
func TestBulkEndsATurnOnThePoller(t *testing.T) {
	const piece, n = 32 << 10, 1000
	a := stalled(t)
	f := feed(t, a, nil, 1, n)
	mr, err := f.c.q.pd.Register(hca.Memory{Bytes: make([]byte, piece)}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	f.w.frame = iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: iwarp.STag(mr.RKey()), TO: iwarp.TO(mr.Addr())}, make([]byte, piece), true)
	for turn := 1; ; turn++ {
		again := f.c.event(turn == 1)
		if most := turn * (rxTurn/piece + 1); f.handled(n) > most {
			t.Fatalf("%d pieces were handled in %d turns, want %d at most", f.handled(n), turn, most)
		}
		if !again {
			break
		}
	}
	if f.handled(n) != n {
		t.Errorf("%d of %d pieces were handled", f.handled(n), n)
	}
	if f.c.q.state.Load() != stReady {
		t.Error("the connection is over")
	}
}

// eager is a handler, and wants turns.
type eager struct {
	noted
	name  string
	turns int
	order *[]string
	hot   []bool
}

func (e *eager) event(uint32) bool { return true }
func (e *eager) waits(yes bool)    { e.hot = append(e.hot, yes) }
func (e *eager) turn() bool {
	*e.order = append(*e.order, e.name)
	e.turns--
	return e.turns > 0
}

// TestTurnsOfThePollerGoRound: and each is told whether it has one coming.
func TestTurnsOfThePollerGoRound(t *testing.T) {
	var order []string
	first, second := &eager{name: "a", turns: 3, order: &order}, &eager{name: "b", turns: 2, order: &order}
	p := &poller{wires: map[int32]entrant{1: {first, 1}, 2: {second, 2}}}
	p.report([]unix.EpollEvent{{Fd: 1, Pad: 1}, {Fd: 2, Pad: 2}})
	for p.nextTurn() {
	}
	if want := []string{"a", "b", "a", "b", "a"}; !slices.Equal(order, want) {
		t.Errorf("the turns were of %v, want %v", order, want)
	}
	if want := []bool{true, false, true, false}; !slices.Equal(second.hot, want) {
		t.Errorf("it was told %v, want %v", second.hot, want)
	}
}

// blocking keeps who reports to it.
type blocking struct {
	noted
	in, out chan struct{}
}

func (b *blocking) event(uint32) bool {
	b.in <- struct{}{}
	<-b.out
	return false
}

// TestWorkersLookAtThePoller: what has come for others does not wait for the poller's
// goroutine while the engine has much to do.
func TestWorkersLookAtThePoller(t *testing.T) {
	p := &poller{rounds: new(rounds)}
	if p.look() {
		t.Error("there was something before there was anything")
	}
	busy, other := &blocking{in: make(chan struct{}), out: make(chan struct{})}, &noted{}
	var fds []int
	for _, w := range []handler{busy, other} {
		fd, err := shm.NewEvent()
		if err != nil {
			t.Fatal(err)
		}
		defer shm.CloseFD(fd)
		var number int32
		if err := p.add(fd, w, &number); err != nil {
			t.Fatal(err)
		}
		p.modify(fd, number, unix.EPOLLIN)
		fds = append(fds, fd)
	}
	ring := func(fd int) {
		if _, err := unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
	}
	ring(fds[0])
	<-busy.in // the poller's goroutine is there now
	if p.look() {
		t.Error("there was something, and nothing had come")
	}
	ring(fds[1])
	if !p.look() || len(other.events) != 1 {
		t.Errorf("it was told %v", other.events)
	}
	close(busy.out)
	p.close()
	if p.look() {
		t.Error("there was something behind the end")
	}
}

// jobs is a runner that has more to do for some turns.
type jobs struct {
	left int
	over chan struct{}
}

func (j *jobs) claim()                  {}
func (j *jobs) queued() bool            { return true }
func (j *jobs) concerns(*consumer) bool { return false }
func (j *jobs) run() (more bool) {
	if j.left--; j.left == 0 {
		close(j.over)
	}
	return j.left > 0
}

// TestWorkersLookBetweenJobs as long as jobs are waiting.
func TestWorkersLookBetweenJobs(t *testing.T) {
	var e engine
	looks := 0
	e.init(new(rounds), func() bool { looks++; return true })
	e.wake = make(chan struct{}, 1) // one worker
	j := &jobs{left: 10, over: make(chan struct{})}
	e.schedule(j)
	<-j.over
	e.close()
	if looks != 9 {
		t.Errorf("%d looks between 10 turns", looks)
	}
}
