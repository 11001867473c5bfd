package soft

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

// noted keeps what is reported.
type noted struct{ events []uint32 }

func (n *noted) event(events uint32) (again bool) {
	n.events = append(n.events, events)
	return false
}
func (n *noted) turn() (again bool) { return false }
func (n *noted) waits(bool)         {}
func (n *noted) goOn()              {}

// An event that the poller has in hand when its descriptor is removed is nobody's,
// also if somebody new has got the descriptor's number by then.
func TestPollerKeepsApart(t *testing.T) {
	p := &poller{rounds: new(rounds)}
	defer p.close()
	fd, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	defer shm.CloseFD(fd)
	var former, latter noted
	var first, second int32
	if err := p.add(fd, &former, &first); err != nil {
		t.Fatal(err)
	}
	p.remove(fd)
	if err := p.add(fd, &latter, &second); err != nil {
		t.Fatal(err)
	}
	defer p.remove(fd)
	p.report([]unix.EpollEvent{
		{Fd: int32(fd), Pad: first, Events: unix.EPOLLHUP},
		{Fd: int32(fd), Pad: second, Events: unix.EPOLLIN},
	})
	if len(former.events) != 0 || !slices.Equal(latter.events, []uint32{unix.EPOLLIN}) {
		t.Errorf("the former one was told %v, the latter %v", former.events, latter.events)
	}
}

// numbered looks at its number when an event comes, as a wire does.
type numbered struct {
	noted
	number int32
	seen   chan int32
}

func (n *numbered) event(uint32) (again bool) {
	n.seen <- n.number
	return false
}

// TestPollerNumbersFirst: an entrant whose event is there already has its number when it is
// told, for it changes what it is armed for with that number.
func TestPollerNumbersFirst(t *testing.T) {
	p := &poller{rounds: new(rounds)}
	defer p.close()
	for range 200 {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		shm.CloseFD(pair[1]) // the end is there at once
		n := &numbered{seen: make(chan int32, 16)}
		if err := p.add(pair[0], n, &n.number); err != nil {
			t.Fatal(err)
		}
		if got := <-n.seen; got != n.number || got == 0 {
			t.Fatalf("it was told as number %d, and has %d", got, n.number)
		}
		p.remove(pair[0])
		shm.CloseFD(pair[0])
	}
}
