package progress

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// noted records the reported events.
type noted struct{ events []uint32 }

func (n *noted) Event(events uint32) (again bool) {
	n.events = append(n.events, events)
	return false
}

func (n *noted) Continue() (again bool) { return false }
func (n *noted) SetPending(bool)        {}
func (n *noted) ToEngine()              {}

// An event that the poller has read when its descriptor is removed reaches nobody, also if a new handler has
// the same descriptor by then.
func TestPollerKeepsApart(t *testing.T) {
	p := &Poller{Rounds: new(Counters)}
	defer p.Close()
	fd, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	defer shm.CloseFD(fd)
	var former, latter noted
	var first, second int32
	if err := p.Add(fd, &former, &first); err != nil {
		t.Fatal(err)
	}
	p.Remove(fd)
	if err := p.Add(fd, &latter, &second); err != nil {
		t.Fatal(err)
	}
	defer p.Remove(fd)
	p.report([]unix.EpollEvent{
		{Fd: int32(fd), Pad: first, Events: unix.EPOLLHUP},
		{Fd: int32(fd), Pad: second, Events: unix.EPOLLIN},
	})
	if len(former.events) != 0 || !slices.Equal(latter.events, []uint32{unix.EPOLLIN}) {
		t.Errorf("the former one was told %v, the latter %v", former.events, latter.events)
	}
}

// TestClosedPollerTakesNothing: nobody would stop the goroutine that an Add after Close begins, and the number of a
// kernel queue that is closed may be that of another descriptor.
func TestClosedPollerTakesNothing(t *testing.T) {
	for _, used := range []bool{false, true} {
		p := &Poller{Rounds: new(Counters)}
		fd, err := shm.NewEvent()
		if err != nil {
			t.Fatal(err)
		}
		defer shm.CloseFD(fd)
		var h noted
		var number int32
		if used {
			if err := p.Add(fd, &h, &number); err != nil {
				t.Fatal(err)
			}
			p.Remove(fd)
		}
		p.Close()
		if err := p.Add(fd, &h, &number); !errors.Is(err, hca.Closed) {
			t.Errorf("Add after Close (used before: %t): %v", used, err)
			p.Close()
		}
	}
}

// numbered reads its number when an event comes, as a wire does.
type numbered struct {
	noted
	number int32
	seen   chan int32
}

func (n *numbered) Event(uint32) (again bool) {
	n.seen <- n.number
	return false
}

// TestPollerNumbersFirst: a descriptor whose event is already pending has its number when the event is reported,
// because it changes what is armed with that number.
func TestPollerNumbersFirst(t *testing.T) {
	p := &Poller{Rounds: new(Counters)}
	defer p.Close()
	for range 200 {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		shm.CloseFD(pair[1]) // the end is reported at once
		n := &numbered{seen: make(chan int32, 16)}
		if err := p.Add(pair[0], n, &n.number); err != nil {
			t.Fatal(err)
		}
		if got := <-n.seen; got != n.number || got == 0 {
			t.Fatalf("it was told as number %d, and has %d", got, n.number)
		}
		p.Remove(pair[0])
		shm.CloseFD(pair[0])
	}
}
