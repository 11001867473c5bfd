package progress

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

// eager is a handler that always wants another run.
type eager struct {
	noted
	name  string
	turns int
	order *[]string
	hot   []bool
}

func (e *eager) Event(uint32) bool   { return true }
func (e *eager) SetPending(yes bool) { e.hot = append(e.hot, yes) }

func (e *eager) Continue() bool {
	*e.order = append(*e.order, e.name)
	e.turns--
	return e.turns > 0
}

// TestHandlersOfThePollerRunInTurn: handlers run in turn, and each is told whether a Continue is pending.
func TestHandlersOfThePollerRunInTurn(t *testing.T) {
	var order []string
	first, second := &eager{name: "a", turns: 3, order: &order}, &eager{name: "b", turns: 2, order: &order}
	p := &Poller{watched: map[int32]watched{1: {first, 1}, 2: {second, 2}}}
	p.report([]unix.EpollEvent{{Fd: 1, Pad: 1}, {Fd: 2, Pad: 2}})
	for p.runPending() {
	}
	if want := []string{"a", "b", "a", "b", "a"}; !slices.Equal(order, want) {
		t.Errorf("the connections ran in the order %v, want %v", order, want)
	}
	if want := []bool{true, false, true, false}; !slices.Equal(second.hot, want) {
		t.Errorf("it was told %v, want %v", second.hot, want)
	}
}

// blocking records the goroutine that reports to it.
type blocking struct {
	noted
	in, out chan struct{}
}

func (b *blocking) Event(uint32) bool {
	b.in <- struct{}{}
	<-b.out
	return false
}

// TestWorkersLookAtThePoller: events of others do not wait for the poller's goroutine while the engine has much
// work.
func TestWorkersLookAtThePoller(t *testing.T) {
	p := &Poller{Rounds: new(Counters)}
	if p.Poll() {
		t.Error("there was something before there was anything")
	}
	busy, other := &blocking{in: make(chan struct{}), out: make(chan struct{})}, &noted{}
	var fds []int
	for _, w := range []Handler{busy, other} {
		fd, err := shm.NewEvent()
		if err != nil {
			t.Fatal(err)
		}
		defer shm.CloseFD(fd)
		var number int32
		if err := p.Add(fd, w, &number); err != nil {
			t.Fatal(err)
		}
		p.Modify(fd, number, unix.EPOLLIN)
		fds = append(fds, fd)
	}
	ring := func(fd int) {
		if _, err := unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
	}
	ring(fds[0])
	<-busy.in // the poller's goroutine is there now
	if p.Poll() {
		t.Error("there was something, and nothing had come")
	}
	ring(fds[1])
	if !p.Poll() || len(other.events) != 1 {
		t.Errorf("it was told %v", other.events)
	}
	close(busy.out)
	p.Close()
	if p.Poll() {
		t.Error("there was something behind the end")
	}
}

// jobs is a runner that has more to do for some runs.
type jobs struct {
	left int
	over chan struct{}
}

func (j *jobs) Claim()                  {}
func (j *jobs) Queued() bool            { return true }
func (j *jobs) Concerns(*Consumer) bool { return false }

func (j *jobs) Run() (more bool) {
	if j.left--; j.left == 0 {
		close(j.over)
	}
	return j.left > 0
}

// TestWorkersLookBetweenJobs: workers check the poller as long as jobs wait.
func TestWorkersLookBetweenJobs(t *testing.T) {
	var e Engine
	looks := 0
	e.Init(new(Counters), func() bool { looks++; return true })
	e.wake = make(chan struct{}, 1) // one worker
	j := &jobs{left: 10, over: make(chan struct{})}
	e.Schedule(j)
	<-j.over
	e.Close()
	if looks != 9 {
		t.Errorf("%d looks between 10 turns", looks)
	}
}
