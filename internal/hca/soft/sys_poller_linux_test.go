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
	first, err := p.add(fd, &former)
	if err != nil {
		t.Fatal(err)
	}
	p.remove(fd)
	second, err := p.add(fd, &latter)
	if err != nil {
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
